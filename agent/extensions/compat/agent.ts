import { withInertNames } from "./terminal.ts";

/** What extensions may import of the agent itself. */
export function agentModule(agentDir: string): Record<string, unknown> {
  return withInertNames({
    getAgentDir: () => agentDir,
    defineTool: (tool: unknown) => tool,
    isToolCallEventType: (name: string, event: { toolName?: unknown }) => event.toolName === name,
    keyHint: () => "",
  });
}
