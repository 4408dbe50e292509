import type { GatedCall, ToolGate } from "../loop/loop-host.ts";
import type { PermissionMode } from "../protocol/commands.ts";
import type { Dialogs } from "./ui.ts";

const ALLOW_ONCE = "Allow once";
const DENY = "Deny";
const MAX_SUMMARY_LENGTH = 300;

/** Asks before tools change something. */
export interface PermissionGate {
  check: ToolGate;
  /** Forgets what was allowed for the session. */
  reset(): void;
}

/**
 * Makes the gate that mutating tools pass. In `confirm` mode the user is asked, and only a clear yes lets the call run: no answer, a
 * closed dialog or a host that went away mean no.
 * @param mode the mode that is enforced at the time of each call.
 */
export function createPermissionGate(dialogs: Dialogs, mode: () => PermissionMode): PermissionGate {
  const allowedTools = new Set<string>();
  const ask = async ({ tool, summary }: GatedCall, signal: AbortSignal) => {
    if (allowedTools.has(tool.name)) return undefined;
    const allowForSession = `Allow ${tool.name} for this session`;
    const answer = await dialogs.select(question(tool.name, summary), [ALLOW_ONCE, allowForSession, DENY], { signal });
    if (answer === allowForSession) allowedTools.add(tool.name);
    return answer === ALLOW_ONCE || answer === allowForSession ? undefined : { block: `Blocked by user: ${tool.name}` };
  };
  return {
    async check(call, signal) {
      if (call.tool.isReadOnly) return undefined;
      switch (mode()) {
        case "auto":
          return undefined;
        case "readonly":
          return { block: `Blocked: ${call.tool.name} is not allowed in read-only mode` };
        case "confirm":
          return ask(call, signal);
      }
    },
    reset: () => allowedTools.clear(),
  };
}

function question(toolName: string, summary: string): string {
  const text = summary.length > MAX_SUMMARY_LENGTH ? `${summary.slice(0, MAX_SUMMARY_LENGTH)}…` : summary;
  return text === "" ? `Allow ${toolName}?` : `Allow ${toolName}? ${text}`;
}
