import type { ToolCallContent } from "@agentclientprotocol/sdk";
import * as z from "zod";
import type { CustomTool, CustomToolCall, CustomToolResult } from "../../client/custom-tools.ts";
import { EDITOR_LINK_TOOLS } from "../../protocol/host-tools.ts";
import { withTimeLimit } from "../../util/with-time-limit.ts";
import type { ClientLink } from "./client-link.ts";

/** The model reads less. */
const MAX_OUTPUT_BYTES = 256 * 1024;

/** The longest delay a Node timer can do. */
const MAX_TIMER_MS = 2_147_483_647;

const Command = z.object({
  file: z.string(),
  args: z.array(z.string()),
  cwd: z.string(),
  env: z.record(z.string(), z.string()),
  timeoutMs: z.number().optional(),
});

interface TerminalParts {
  link: ClientLink;
  sessionId(): string;
  /** Shows the terminal of a call. */
  show(toolCallId: string, content: ToolCallContent): void;
}

/** Returns the tool by which commands run in terminals of the client; none if it has no terminals. */
export function terminalTools(parts: TerminalParts): CustomTool[] {
  if (parts.link.capabilities.terminal !== true) return [];
  return [
    {
      name: EDITOR_LINK_TOOLS.terminal,
      description: "Runs a command where the user sees it.",
      parameters: { type: "object" },
      hidden: true,
      run: (args, call) => runCommand(parts, args, call),
    },
  ];
}

/** Runs a command until it ends, its time is over, or it is aborted; ends it then. */
async function runCommand(
  { link, sessionId, show }: TerminalParts,
  input: Record<string, unknown>,
  { toolCallId, signal }: CustomToolCall,
): Promise<CustomToolResult> {
  const { file, args, cwd, env, timeoutMs } = Command.parse(input);
  const { terminalId } = await link.request("terminal/create", {
    sessionId: sessionId(),
    command: file,
    args,
    cwd,
    env: Object.entries(env).map(([name, value]) => ({ name, value })),
    outputByteLimit: MAX_OUTPUT_BYTES,
  });
  const terminal = { sessionId: sessionId(), terminalId };
  show(toolCallId, { type: "terminal", terminalId });
  const limit = withTimeLimit(signal, Math.min(timeoutMs ?? MAX_TIMER_MS, MAX_TIMER_MS));
  try {
    const exit = await link.request("terminal/wait_for_exit", terminal, limit.signal).catch(async (error) => {
      if (!limit.signal.aborted) throw error;
      await link.request("terminal/kill", terminal);
      return undefined;
    });
    const { output, truncated } = await link.request("terminal/output", terminal);
    const text = truncated ? `[earlier output is in the terminal]\n${output}` : output;
    return { content: [], details: { output: text, exitCode: exit?.exitCode ?? null, timedOut: exit === undefined } };
  } finally {
    limit.end();
    await link.request("terminal/release", terminal);
  }
}
