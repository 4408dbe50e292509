import type { ExtensionAPI, ExtensionUi } from "../../extensions/author.ts";
import type { InputValues } from "./input-values.ts";
import type { McpParts } from "./mcp-parts.ts";
import type { ToolNames } from "./tool-names.ts";

/** What servers are given by the agent around them. */
export interface ServerSurroundings extends Omit<McpParts, "files" | "waitMs"> {
  api: ExtensionAPI;
  names: ToolNames;
  inputs: InputValues;
  ui(): ExtensionUi;
}
