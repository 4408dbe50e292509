import * as z from "zod";
import type {
  HostToolHandlerV1,
  HostToolV1,
  PromptOptions,
  PromptResult,
  TillerApiV1,
  TillerDisposable,
  TillerEvent,
  TillerSession,
} from "../../../agent/client/vscode-api.ts";
import { errorMessage } from "../../../agent/protocol/errors.ts";
import type { Chat } from "../../chat/chat.ts";
import type { ChatLog } from "../../chat/chat-ports.ts";
import { runPrompt } from "../../chat/run-prompt.ts";
import { wordBlocked } from "../../chat/session-ui.ts";
import type { HostToolSet } from "../../host/host-tools/host-tool-set.ts";
import type { Chats } from "../../window/chats.ts";
import { blockedBy } from "../../window/launch.ts";
import { apiTool } from "./api-tool.ts";
import { TillerError } from "./tiller-error.ts";

interface ApiServices {
  readonly chats: Chats;
  readonly hostTools: HostToolSet;
  readonly log: ChatLog;
}

const Options = z.object({
  session: z.string().min(1).optional(),
  isTemporary: z.boolean().optional(),
  isShown: z.boolean().optional(),
  signal: z.instanceof(AbortSignal).optional(),
});

/** Creates the API for other extensions; see `TillerApiV1`. */
export function createApi(services: ApiServices): TillerApiV1 {
  const { chats, hostTools, log } = services;
  return {
    prompt: (text, options = {}) => prompt(text, options, chats),
    onEvent: (listener) => listen(listener, services),
    registerHostTool(tool: HostToolV1, handler: HostToolHandlerV1): TillerDisposable {
      const known = hostTools.everything.map(({ definition }) => definition.name);
      const added = apiTool(tool, handler, known);
      log.info(`api: tool ${added.definition.name} is added`);
      return { dispose: hostTools.add(added) };
    },
  };
}

async function prompt(text: string, given: PromptOptions, chats: Chats): Promise<PromptResult> {
  const options = Options.safeParse(given);
  if (!options.success) throw new TillerError("invalid_argument", z.prettifyError(options.error));
  if (typeof text !== "string" || text.trim() === "") throw new TillerError("invalid_argument", "The text is empty.");
  const { session = "new", isTemporary = false, isShown = false, signal } = options.data;
  if (signal?.aborted) throw new TillerError("aborted", "The signal was aborted before the prompt was sent.");
  const blocked = blockedBy();
  if (blocked !== undefined) throw new TillerError("blocked", wordBlocked(blocked));
  const chat = chatFor(session, isTemporary, chats);
  return chats.hub.hold(chat, async () => {
    if (isShown) await chats.reveal(chat);
    return { text: await run(chat, text, signal), session: sessionOf(chat) };
  });
}

function chatFor(session: string, isTemporary: boolean, chats: Chats): Chat {
  if (session === "new") return chats.hub.openNew(isTemporary);
  if (session === "focused") return chats.focused;
  const chat = chats.find(session);
  if (chat === undefined) throw new TillerError("invalid_argument", `No session "${session}" is known here.`);
  return chat;
}

async function run(chat: Chat, text: string, signal: AbortSignal | undefined): Promise<string> {
  const result = await runPrompt(chat, text, signal === undefined ? {} : { signal }).catch((error: unknown) => {
    throw new TillerError("agent_failed", errorMessage(error), { cause: error });
  });
  if (result.aborted) throw new TillerError("aborted", "The run was stopped.");
  const { answer } = result;
  if (answer?.stopReason === "error") {
    throw new TillerError("model_failed", answer.errorMessage ?? "The model failed without a reason.");
  }
  return result.text;
}

function listen(listener: (event: TillerEvent) => void, { chats, log }: ApiServices): TillerDisposable {
  if (typeof listener !== "function") throw new TillerError("invalid_argument", "The listener is not a function.");
  return chats.onDidTell(({ chat, event }) => {
    try {
      // A copy, so that a listener cannot change the conversation.
      listener({ session: sessionOf(chat), isFocused: chat === chats.focused, event: structuredClone(event) });
    } catch (error) {
      log.warn(`api: a listener of events failed: ${errorMessage(error)}`);
    }
  });
}

function sessionOf({ session }: Chat): TillerSession {
  return { id: session.key, ...(session.file === undefined ? {} : { file: session.file }) };
}
