import * as z from "zod";
import type { AgentMessage } from "../../protocol/messages.ts";
import { TOOL_SEARCH } from "../../tools/tool-names.ts";
import type { Conversation } from "../conversation.ts";

const SearchDetails = z.lazy(() => z.object({ loaded: z.array(z.string()) }));

/** The tools that a conversation has loaded. */
interface LoadedTools {
  /** Names of tools that were found or called, in this order. */
  names: ReadonlySet<string>;
  /** Those among them that existed. */
  existed: ReadonlySet<string>;
}

/**
 * Reads from a conversation which tools the model has found or called, from its beginning: compactions and a new process change nothing.
 */
export class LoadedToolsReader {
  #read: { conversation: Conversation; leafId: string | null; length: number; tools: LoadedTools } | undefined;

  /** Returns the tools up to now. */
  of(conversation: Conversation): LoadedTools {
    const { leafId, messages } = conversation;
    const read = this.#read;
    if (read?.conversation === conversation && read.leafId === leafId && read.length === messages.length) {
      return read.tools;
    }
    const tools = { names: new Set<string>(), existed: new Set<string>() };
    for (const entry of conversation.path()) if (entry.type === "message") note(entry.message, tools);
    for (const message of messages) note(message, tools); // what could not be written
    this.#read = { conversation, leafId, length: messages.length, tools };
    return tools;
  }
}

function note(message: AgentMessage, { names, existed }: { names: Set<string>; existed: Set<string> }): void {
  if (message.role !== "toolResult") return;
  const { toolName, ranAs, durationMs } = message;
  if (toolName === TOOL_SEARCH || ranAs?.toolName === TOOL_SEARCH) {
    for (const name of SearchDetails.safeParse(message.details).data?.loaded ?? []) {
      names.add(name);
      existed.add(name);
    }
    return;
  }
  const name = ranAs?.toolName ?? toolName;
  names.add(name);
  if (durationMs !== undefined) existed.add(name);
}
