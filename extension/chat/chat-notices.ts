import { AgentExited, AgentNotStarted, RequestFailed } from "../../agent/client/client-errors.ts";
import { errorMessage } from "../../agent/protocol/errors.ts";
import { t } from "../../webview/l10n.ts";
import type { ChatLog } from "./chat-ports.ts";
import { agentMissing, wordCrash, wordExit } from "./session-ui.ts";
import type { TranscriptStore } from "./transcript-store.ts";

/** Adds notices about the agent to the conversation. */
export class ChatNotices {
  readonly #transcript: TranscriptStore;
  readonly #log: ChatLog;

  constructor(transcript: TranscriptStore, log: ChatLog) {
    this.#transcript = transcript;
    this.#log = log;
  }

  tell(text: string): void {
    this.#transcript.dispatch({ type: "host_notice", level: "info", text });
  }

  /** Reports a failed request. An exit or failed start of the process is in the conversation already. */
  failed(text: string, error: unknown): void {
    if (error instanceof AgentExited || error instanceof AgentNotStarted) return;
    const [reason = "", ...more] = errorMessage(error).split("\n");
    const detail = more.join("\n").trim();
    const isTooLong = error instanceof RequestFailed && error.code === "prompt_too_large";
    const action = isTooLong ? { label: t("Attach as File"), command: "tiller.attachAsFile" } : undefined;
    this.#transcript.dispatch({ type: "host_notice", level: "error", text: `${text} ${reason}`, detail, action });
  }

  /** @param restartInMs absent when the agent is not restarted. */
  crashed(error: Error, restartInMs: number | undefined): void {
    this.#log.error(`agent: ${error.message}`);
    if (error instanceof AgentNotStarted && this.#transcript.isEmpty) {
      this.#transcript.dispatch({ type: "host_ui", ui: { setup: agentMissing(error) } });
      this.#transcript.dispatch({ type: "host_status", status: "crashed" });
      return;
    }
    const detail = error instanceof AgentExited ? error.stderrTail.trim() : "";
    const reason = error instanceof AgentNotStarted ? undefined : wordExit(error);
    this.#transcript.dispatch({ type: "host_crashed", text: wordCrash(error, restartInMs), reason, detail });
  }

  /** Reports that the agent goes on with its session after a crash. */
  restarted(): void {
    this.#transcript.dispatch({ type: "host_restarted" });
  }

  fullAccessEnded(): void {
    this.tell(t("Full Access ended when the agent stopped. The permission mode from your settings applies again."));
  }

  sessionLost(): void {
    const text = t("The agent restarted but couldn't reopen its session. This is a new session.");
    this.#transcript.dispatch({ type: "host_notice", level: "warning", text });
  }

  /** Reports a run that ended with its agent before this chat was opened. */
  runCutOff(): void {
    this.#transcript.dispatch({
      type: "host_notice",
      level: "warning",
      text: t("The agent stopped during a run. Its work may be unfinished."),
      action: { label: t("Continue"), command: "tiller.continueRun" },
    });
  }
}
