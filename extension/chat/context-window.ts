import { RequestFailed } from "../../agent/client/client-errors.ts";
import type { InstructionFileState, SessionState } from "../../agent/protocol/commands.ts";
import type { ContextParts } from "../../webview/protocol/to-panel.ts";
import type { Chat } from "./chat.ts";

/** Estimated number of characters per token. */
const CHARACTERS_PER_TOKEN = 4;

type ContextState = Pick<SessionState, "systemPrompt" | "dumpTools" | "contextUsage" | "instructionFiles"> &
  Partial<Pick<SessionState, "cwd">>;

/**
 * Returns the parts of the context window. The agent reports the total; system prompt and tools are estimated from their length, and the rest is
 * the conversation. What an agent does not report is left out.
 */
export function contextParts({
  systemPrompt,
  dumpTools,
  contextUsage,
  instructionFiles = [],
  cwd = "",
}: ContextState): ContextParts {
  const prompt = estimate(systemPrompt);
  const tools = estimate(dumpTools && JSON.stringify(dumpTools.filter(({ deferred }) => deferred !== true)));
  const fixed = (prompt ?? 0) + (tools ?? 0);
  const parts = {
    ...(prompt === undefined ? {} : { systemPrompt: prompt }),
    ...(tools === undefined ? {} : { tools }),
    ...(instructionFiles.length === 0 ? {} : { instructions: instructionFiles.map((file) => named(file, cwd)) }),
  };
  const used = contextUsage?.tokens ?? undefined;
  if (contextUsage === undefined || used === undefined) return parts;
  // Before the first answer the agent's number does not include prompt and tools.
  const whole = used === 0 ? fixed : used;
  const free = Math.max(0, contextUsage.contextWindow - whole);
  // An estimate above the total says nothing about the rest.
  return whole < fixed ? { ...parts, free } : { ...parts, conversation: whole - fixed, free };
}

/** Names a file by its path in the working directory, or else by its whole path. */
function named({ path, state }: InstructionFileState, cwd: string): NonNullable<ContextParts["instructions"]>[number] {
  const below = cwd !== "" && path.startsWith(cwd) ? path.slice(cwd.length) : "";
  return { name: /^[\\/]/.test(below) ? below.slice(1) : path, path, state };
}

function estimate(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

/** Reads the parts of a chat's context window from the agent. */
export async function readContext(chat: Chat): Promise<ContextParts> {
  return contextParts(await chat.request("get_state", {}));
}

/** Replaces old history by a summary. Resolves also when the user stops it; rejects with the agent's reason when it is impossible. */
export async function compactNow(chat: Chat, instructions: string): Promise<void> {
  const customInstructions = instructions.trim();
  try {
    await chat.request("compact", customInstructions === "" ? {} : { customInstructions });
  } catch (error) {
    if (!(error instanceof RequestFailed && error.code === "aborted")) throw error;
  }
  await chat.refresh();
}
