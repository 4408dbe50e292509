import { type RunResult, RunWatch } from "../../agent/client/run-watch.ts";
import type { AgentEvent } from "../../agent/protocol/events.ts";
import { t } from "../../webview/l10n.ts";
import type { Delivery } from "../../webview/protocol/draft.ts";
import type { Chat } from "./chat.ts";
import type { ChatListener } from "./chat-events.ts";

interface RunOptions extends ChatListener {
  /** Aborts the run; the promise resolves when it has ended. */
  readonly signal?: AbortSignal;
  readonly delivery?: Delivery;
}

/**
 * Sends a prompt to the agent of a chat, which is started if needed, and resolves when its run is over, however it ended. Rejects when the prompt
 * is refused, or the agent exits first. `event` gets all events from the acceptance of the prompt on.
 */
export async function runPrompt(chat: Chat, message: string, options: RunOptions = {}): Promise<RunResult> {
  const { signal, delivery = "followUp" } = options;
  signal?.throwIfAborted();
  let isTaken = false;
  let off = () => {};
  let isStopped = false;
  /** Stops the run, which is possible only from its first event on. */
  const stop = () => {
    if (isStopped || chat.transcript.ui.status !== "running") return;
    isStopped = true;
    void chat.stop();
  };
  try {
    return await new Promise<RunResult>((resolve, reject) => {
      const watch = new RunWatch(resolve);
      off = chat.events.listen({
        event: (event: AgentEvent) => {
          if (isTaken) options.event?.(event);
          if (isTaken && signal?.aborted) stop();
          watch.take(event);
        },
        uiRequest: (request) => isTaken && options.uiRequest?.(request),
        disconnected: () => isTaken && reject(new Error(t("The agent stopped before it finished."))),
      });
      const onAnswer = ({ disposition }: { disposition: RunResult["disposition"] }) => {
        isTaken = true;
        watch.accept(disposition);
        signal?.addEventListener("abort", stop, { once: true });
        if (signal?.aborted) stop();
      };
      chat.request("prompt", { message, streamingBehavior: delivery }, { onAnswer }).catch(reject);
    });
  } finally {
    off();
    signal?.removeEventListener("abort", stop);
  }
}
