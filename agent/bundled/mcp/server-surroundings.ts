import type { ExtensionAPI, ExtensionContext, ExtensionUi } from "../../extensions/author.ts";
import type { InputValues } from "./input-values.ts";
import type { McpParts } from "./mcp-parts.ts";
import type { ToolNames } from "./tool-names.ts";

/** The services that the agent offers to servers. */
export interface ServerSurroundings extends Omit<McpParts, "files" | "waitMs" | "waiting"> {
  api: ExtensionAPI;
  names: ToolNames;
  inputs: InputValues;
  ui(): ExtensionUi;
  /** The newest context that a handler received. */
  context(): ExtensionContext;
  /** Called when a server's resources or prompts change. */
  onOffersChanged(): void;
  /** Called when a server reports that the content of a resource has changed. */
  onResourceChanged(server: string, uri: string): void;
}
