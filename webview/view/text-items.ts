import { icon } from "../controls.ts";
import { t } from "../l10n.ts";
import type { TranscriptItem } from "../protocol/items.ts";
import { duration, el, setText } from "./dom.ts";
import { type ItemView, keepOpen, keptOpen, type ViewContext } from "./item-view.ts";
import { markdownView } from "./markdown-stream.ts";
import { picture } from "./picture.ts";
import { createSentChips } from "./sent-chips.ts";

type Item<Kind extends TranscriptItem["kind"]> = Extract<TranscriptItem, { kind: Kind }>;

/** Longest part of a prompt in the name of its article, in UTF-16 units. */
const MAX_NAME_CHARS = 80;

/** What the user said. */
export function promptView(
  item: Item<"prompt">,
  { host, editPrompt }: Pick<ViewContext, "host" | "editPrompt">,
): ItemView {
  const text = el("div", "prompt-text", { dir: "auto" });
  const pictures = el("div", "pictures");
  const sent = createSentChips();
  const name = t("Edit and send again (F2)");
  const edit = el("button", "prompt-edit", { type: "button", title: name, "aria-label": name }, [icon("edit")]);
  const forkName = t("Fork from here: a new session with what was before this message");
  const fork = el("button", "prompt-edit prompt-fork", { type: "button", title: forkName, "aria-label": forkName }, [
    icon("repo-forked"),
  ]);
  const element = el("article", "item prompt", {}, [text, pictures, sent.element, fork, edit]);
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
    pictures.replaceChildren(...next.images.map((image, index) => picture(image, { host, id: next.id, index })));
  }
  show(item);
  return {
    element,
    update: (next) => next.kind === "prompt" && show(next),
    hiddenText: sent.hiddenText,
    reveal: sent.reveal,
  };
}

/** What the model said. */
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

/** What the model thought: one line that opens; live while it streams. */
export function thinkingView(item: Item<"thinking">, context: ViewContext): ItemView {
  const title = el("span", "fold-title");
  const bodyId = `thinking-${item.id}`;
  const header = el("button", "fold-head", { type: "button", "aria-controls": bodyId }, [icon("chevron-right"), title]);
  const body = el("div", "thinking-body", { id: bodyId, dir: "auto" });
  const element = el("article", "item thinking", {}, [header, body]);
  let durationMs = item.durationMs;
  let isStreaming = item.isStreaming;
  let isRevealed = false;

  function show(): void {
    const words = isStreaming
      ? t("Thinking…")
      : durationMs === undefined
        ? t("Thought")
        : t("Thought for {0}", duration(durationMs));
    setText(title, words);
    element.setAttribute("aria-label", t("Tiller: {0}", words));
    element.classList.toggle("is-streaming", isStreaming);
    const isOpen = isRevealed || (keptOpen(context.host, item.id) ?? opensByItself());
    header.setAttribute("aria-expanded", String(isOpen));
    body.hidden = !isOpen;
  }
  function opensByItself(): boolean {
    const density = context.density();
    return density === "open" || (density === "normal" && isStreaming);
  }
  function scrollToEnd(): void {
    if (isStreaming) body.scrollTop = body.scrollHeight;
  }
  function toggle(): void {
    isRevealed = false;
    keepOpen(context.host, item.id, body.hidden === true);
    show();
  }
  function finish(elapsedMs: number | undefined): void {
    isStreaming = false;
    durationMs = elapsedMs ?? durationMs;
    show();
  }
  header.addEventListener("click", toggle);
  setText(body, item.text);
  show();
  return {
    element,
    toggle,
    refold: show,
    hiddenText: () => (body.hidden ? (body.textContent ?? "") : ""),
    reveal() {
      isRevealed = true;
      show();
    },
    finish,
    append(text) {
      body.append(text);
      context.frame.request(scrollToEnd);
    },
    update(next) {
      if (next.kind !== "thinking") return;
      setText(body, next.text);
      isStreaming = next.isStreaming;
      durationMs = next.durationMs ?? durationMs;
      show();
    },
  };
}

function shorten(text: string): string {
  const line = text
    .slice(0, 4 * MAX_NAME_CHARS)
    .replace(/\s+/g, " ")
    .trim();
  return line.length <= MAX_NAME_CHARS ? line : `${line.slice(0, MAX_NAME_CHARS - 1)}…`;
}
