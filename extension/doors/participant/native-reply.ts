import type { UiRequest } from "../../../agent/protocol/dialogs.ts";
import type { AgentEvent, AssistantMessageEvent } from "../../../agent/protocol/events.ts";
import { t } from "../../../webview/l10n.ts";
import { wordCall } from "../../../webview/protocol/tool-words.ts";
import { presentCall } from "../../core/transcript/tool-presenters.ts";
import { phraseOf } from "../../core/transcript/tool-verbs.ts";

/** Receives an answer that the native chat shows. */
export interface NativeStream {
  markdown(text: string): void;
  progress(text: string): void;
  /** @param path absolute. */
  reference(path: string): void;
}

const CHANGING_TOOLS: ReadonlySet<string> = new Set(["edit", "write"]);

/** Passes the agent's events on to the native chat. */
export class NativeReply {
  readonly #stream: NativeStream;
  readonly #cwd: string;
  readonly #named = new Set<string>();
  #hasText = false;
  #needsGap = false;
  #hasChanges = false;

  /** @param cwd the agent's folder. */
  constructor(stream: NativeStream, cwd: string) {
    this.#stream = stream;
    this.#cwd = cwd;
  }

  /** True when the run changed a file. */
  get hasChanges(): boolean {
    return this.#hasChanges;
  }

  event(event: AgentEvent): void {
    switch (event.type) {
      case "message_update":
        this.#update(event.assistantMessageEvent);
        break;
      case "tool_execution_start":
        this.#tool(event);
        break;
      case "tool_execution_end":
        if (!event.isError && CHANGING_TOOLS.has(event.toolName)) this.#hasChanges = true;
        break;
      case "auto_retry_start":
        this.#stream.progress(t("Retrying. {0}", event.errorMessage));
        break;
      case "compaction_start":
        this.#stream.progress(t("Compacting chat…"));
        break;
      default:
        break;
    }
  }

  uiRequest(request: UiRequest): void {
    if (request.method === "notify") this.#stream.progress(request.message);
    if (["select", "confirm", "input", "editor"].includes(request.method) && "title" in request) {
      this.#stream.progress(t("Waiting for your answer: {0}", request.title));
    }
  }

  #update(update: AssistantMessageEvent): void {
    if (update.type === "text_start") this.#needsGap = this.#hasText;
    if (update.type !== "text_delta" || update.delta === "") return;
    const gap = this.#needsGap ? "\n\n" : "";
    this.#needsGap = false;
    this.#hasText = true;
    this.#stream.markdown(gap + update.delta);
  }

  #tool({ toolName, args }: Extract<AgentEvent, { type: "tool_execution_start" }>): void {
    const { intent, path } = presentCall(toolName, args, this.#cwd);
    this.#stream.progress(wordCall({ toolName, phrase: phraseOf(toolName, "running"), intent }));
    if (path === undefined || this.#named.has(path)) return;
    this.#named.add(path);
    this.#stream.reference(path);
  }
}
