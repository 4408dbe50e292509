import type { AnyTool } from "../tools/tool.ts";
import type { HostUi } from "./ui.ts";

/** What extensions need of the agent around them. It is there once the session is. */
export interface ExtensionHost {
  ui: HostUi;
  /** @throws Error when the name belongs to a tool of the host. */
  addTool(tool: AnyTool, isActive: boolean): void;
  /** Ends the process when nothing runs any more. */
  shutdown(): void;
}
