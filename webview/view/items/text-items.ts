import { t } from "../../l10n.ts";
import type { TranscriptItem } from "../../protocol/items.ts";
import { icon } from "../common/controls.ts";
import { duration, el, setText } from "../common/dom.ts";
import { type ItemView, keepOpen, keptOpen, type ViewContext } from "../common/item-view.ts";
import { markdownView } from "../markdown/markdown-stream.ts";

type Item<Kind extends TranscriptItem["kind"]> = Extract<TranscriptItem, { kind: Kind }>;

/** Text of the model. */
export function answerView(item: Item<"text">, context: ViewContext): ItemView {
  const body = el("div", "markdown");
  const element = el("article", "item answer", { "aria-label": "Tiller" }, [body]);
  const view = markdownView(body, context.frame);
  view.set(item.text, item.isStreaming);
  return {
    element,
    update: (next) => next.kind === "text" && view.set(next.text, next.isStreaming),
    append: view.append,
    finish: view.finish,
  };
}

/** Thinking of the model: one line that expands; updated while it streams. */
export function thinkingView(item: Item<"thinking">, context: ViewContext): ItemView {
  const view = new Thinking(item, context);
  return {
    element: view.element,
    toggle: () => view.toggle(),
    refold: () => view.show(),
    hiddenText: () => view.hiddenText(),
    reveal: () => view.reveal(),
    finish: (durationMs) => view.finish(durationMs),
    append: (text) => view.append(text),
    update: (next) => next.kind === "thinking" && view.update(next),
  };
}

class Thinking {
  readonly #context: ViewContext;
  readonly #title = el("span", "fold-title");
  readonly #header: HTMLElement;
  readonly #body: HTMLElement;
  readonly element: HTMLElement;
  #item: Item<"thinking">;
  #isRevealed = false;

  constructor(item: Item<"thinking">, context: ViewContext) {
    const id = `thinking-${item.id}`;
    this.#context = context;
    this.#item = item;
    this.#header = el("button", "fold-head", { type: "button", "aria-controls": id }, [
      icon("chevron-right"),
      this.#title,
    ]);
    this.#body = el("div", "thinking-body", { id, dir: "auto" });
    this.element = el("article", "item thinking", {}, [this.#header, this.#body]);
    this.#header.addEventListener("click", () => this.toggle());
    setText(this.#body, item.text);
    this.show();
  }

  show(): void {
    const { id, isStreaming } = this.#item;
    const words = this.#words();
    setText(this.#title, words);
    this.element.setAttribute("aria-label", t("Tiller: {0}", words));
    this.element.classList.toggle("is-streaming", isStreaming);
    const isOpen = this.#isRevealed || (keptOpen(this.#context.host, id) ?? this.#opensByItself());
    this.#header.setAttribute("aria-expanded", String(isOpen));
    this.#body.hidden = !isOpen;
  }

  toggle(): void {
    this.#isRevealed = false;
    keepOpen(this.#context.host, this.#item.id, this.#body.hidden === true);
    this.show();
  }

  reveal(): void {
    this.#isRevealed = true;
    this.show();
  }

  hiddenText(): string {
    return this.#body.hidden ? (this.#body.textContent ?? "") : "";
  }

  append(text: string): void {
    this.#body.append(text);
    this.#context.frame.request(this.#scrollToEnd);
  }

  finish(durationMs: number | undefined): void {
    this.#item = { ...this.#item, isStreaming: false, durationMs: durationMs ?? this.#item.durationMs };
    this.show();
  }

  update(next: Item<"thinking">): void {
    setText(this.#body, next.text);
    this.#item = { ...next, durationMs: next.durationMs ?? this.#item.durationMs };
    this.show();
  }

  #words(): string {
    const { isStreaming, durationMs } = this.#item;
    if (isStreaming) return t("Thinking…");
    return durationMs === undefined ? t("Thought") : t("Thought for {0}", duration(durationMs));
  }

  #opensByItself(): boolean {
    const density = this.#context.density();
    return density === "open" || (density === "normal" && this.#item.isStreaming);
  }

  // One function, so that a frame does it once.
  readonly #scrollToEnd = () => {
    if (this.#item.isStreaming) this.#body.scrollTop = this.#body.scrollHeight;
  };
}
