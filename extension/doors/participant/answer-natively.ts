import { errorMessage } from "../../../agent/protocol/errors.ts";
import { t } from "../../../webview/l10n.ts";
import type { Chat } from "../../chat/chat.ts";
import { runPrompt } from "../../chat/run-prompt.ts";
import { NativeReply, type NativeStream } from "./native-reply.ts";
import { countPrompts, type NativeMemory } from "./native-session.ts";

interface NativeQuestion {
  readonly prompt: string;
  readonly command?: string | undefined;
  /** The agent's folder. */
  readonly cwd: string;
  /** Ends the run. */
  readonly signal: AbortSignal;
}

/** The outcome of a request of the native chat. */
interface NativeAnswer {
  readonly metadata: NativeMemory;
  /** The error, for people. A stopped run is no error. */
  readonly error?: string;
}

/** Runs a prompt in a chat and passes its events to the native chat until the run is over. Never rejects. */
export async function answerNatively(
  chat: Chat,
  { prompt, command, cwd, signal }: NativeQuestion,
  stream: NativeStream,
): Promise<NativeAnswer> {
  const reply = new NativeReply(stream, cwd);
  const error = await run(chat, prompt, reply, signal);
  const { key: session, file } = chat.session;
  const prompts = await countPrompts(chat).catch(() => 0); // the agent has exited, and has reported it
  const metadata = {
    tiller: {
      session,
      prompts,
      hasChanges: reply.hasChanges,
      ...(file === undefined ? {} : { file }),
      ...(command === undefined ? {} : { command }),
    },
  };
  return { metadata, ...(error === undefined ? {} : { error }) };
}

async function run(chat: Chat, prompt: string, reply: NativeReply, signal: AbortSignal): Promise<string | undefined> {
  try {
    const { answer, aborted } = await runPrompt(chat, prompt, {
      signal,
      event: (event) => reply.event(event),
      uiRequest: (request) => reply.uiRequest(request),
    });
    if (aborted || answer?.stopReason !== "error") return undefined;
    return answer.errorMessage ?? t("The model failed without giving a reason.");
  } catch (error) {
    return signal.aborted ? undefined : errorMessage(error);
  }
}
