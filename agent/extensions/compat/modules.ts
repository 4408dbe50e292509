import { terminalModule, withInertNames } from "./terminal.ts";
import { StringEnum, Type } from "./typebox.ts";

const SCOPES = ["@earendil-works", "@mariozechner"];

/** The modules that extensions find under the package names they know, whatever is installed. */
export function compatibleModules(agentDir: string): Record<string, unknown> {
  const agent = withInertNames({
    Type,
    getAgentDir: () => agentDir,
    defineTool: (tool: unknown) => tool,
    isToolCallEventType: (name: string, event: { toolName?: unknown }) => event.toolName === name,
    keyHint: () => "",
  });
  const ai = { Type, StringEnum };
  const typebox = { Type };
  const modules: Record<string, unknown> = { "@sinclair/typebox": typebox, typebox };
  for (const scope of SCOPES) {
    modules[`${scope}/pi-coding-agent`] = agent;
    modules[`${scope}/pi-agent-core`] = withInertNames({});
    modules[`${scope}/pi-tui`] = terminalModule;
    for (const path of ["", "/compat", "/oauth"]) modules[`${scope}/pi-ai${path}`] = ai;
  }
  return modules;
}
