import { t } from "../../l10n.ts";
import type { TranscriptItem } from "../../protocol/items.ts";
import { icon } from "../common/controls.ts";
import { duration, el, setText } from "../common/dom.ts";
import { type ItemView, keepOpen, keptOpen, type ViewContext } from "../common/item-view.ts";
import { markdownView } from "../markdown/markdown-stream.ts";
import { imageFrame } from "./image.ts";
import { createSentChips } from "./sent-chips.ts";

type Item<Kind extends TranscriptItem["kind"]> = Extract<TranscriptItem, { kind: Kind }>;

/** Longest part of a prompt in the name of its article, in UTF-16 units. */
const MAX_NAME_CHARS = 80;

/** A message of the user. */
export function promptView(
  item: Item<"prompt">,
  { host, editPrompt }: Pick<ViewContext, "host" | "editPrompt">,
): ItemView {
  const text = el("div", "prompt-text", { dir: "auto" });
  const images = el("div", "images");
  const sent = createSentChips();
  const name = t("Edit and Resend (F2)");
  const edit = el("button", "prompt-edit", { type: "button", title: name, "aria-label": name }, [icon("edit")]);
  const forkName = t("Fork from here: start a new session with everything before this message");
  const fork = el("button", "prompt-edit prompt-fork", { type: "button", title: forkName, "aria-label": forkName }, [
    icon("repo-forked"),
  ]);
  const element = el("article", "item prompt", {}, [text, images, sent.element, fork, edit]);
  let shown = item;
  fork.addEventListener("click", () => host.post({ type: "fork", id: shown.id }));
  edit.addEventListener("click", () => editPrompt(shown));
  element.addEventListener("keydown", (event) => {
    if (event.key === "F2") editPrompt(shown);
  });
  function show(next: Item<"prompt">): void {
    shown = next;
    element.setAttribute("aria-label", t("You: {0}", shorten(next.text) || t("an image")));
    setText(text, next.text);
    text.hidden = next.text === "";
    sent.show(next.sent ?? []);
    images.replaceChildren(...next.images.map((image, index) => imageFrame(image, { host, id: next.id, index })));
  }
  show(item);
  return {
    element,
    update: (next) => next.kind === "prompt" && show(next),
    hiddenText: sent.hiddenText,
    reveal: sent.reveal,
  };
}

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

function shorten(text: string): string {
  const line = text
    .slice(0, 4 * MAX_NAME_CHARS)
    .replace(/\s+/g, " ")
    .trim();
  return line.length <= MAX_NAME_CHARS ? line : `${line.slice(0, MAX_NAME_CHARS - 1)}…`;
}
