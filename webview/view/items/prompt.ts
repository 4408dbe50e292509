import { t } from "../../l10n.ts";
import type { TranscriptItem } from "../../protocol/items.ts";
import { icon } from "../common/controls.ts";
import { el } from "../common/dom.ts";
import type { ItemView, ViewContext } from "../common/item-view.ts";
import { createClampedText } from "./clamped-text.ts";
import { imageFrame } from "./image.ts";
import { createSentChips } from "./sent-chips.ts";

type Prompt = Extract<TranscriptItem, { kind: "prompt" }>;

/** Longest part of a prompt in the name of its article, in UTF-16 units. */
const MAX_NAME_CHARS = 80;

/** A message of the user. */
export function promptView(item: Prompt, context: Pick<ViewContext, "host" | "editPrompt" | "say">): ItemView {
  const { host, editPrompt } = context;
  const text = createClampedText("prompt-text");
  const images = el("div", "images");
  const sent = createSentChips();
  let shown = item;
  const actions = promptActions(() => shown, context);
  const element = el("article", "item prompt", {}, [text.element, images, sent.element, actions]);
  element.addEventListener("keydown", (event) => {
    if (event.key === "F2") editPrompt(shown);
  });
  function show(next: Prompt): void {
    shown = next;
    element.setAttribute("aria-label", t("You: {0}", shorten(next.text) || t("an image")));
    text.show(next.text);
    sent.show(next.sent ?? []);
    images.replaceChildren(...next.images.map((image, index) => imageFrame(image, { host, id: next.id, index })));
  }
  show(item);
  return {
    element,
    update: (next) => next.kind === "prompt" && show(next),
    hiddenText: () => `${text.hiddenText()}\n${sent.hiddenText()}`,
    hiddenBefore: () => images,
    reveal() {
      text.reveal();
      sent.reveal();
    },
  };
}

/** The buttons beside a message; they are seen while the message has the mouse or the keyboard. */
function promptActions(
  prompt: () => Prompt,
  { host, editPrompt, say }: Pick<ViewContext, "host" | "editPrompt" | "say">,
): HTMLElement {
  const action = (label: string, iconName: string, run: () => void) => {
    const button = el("button", "prompt-action", { type: "button", title: label, "aria-label": label }, [
      icon(iconName),
    ]);
    button.addEventListener("click", run);
    return button;
  };
  return el("div", "prompt-actions", { role: "group", "aria-label": t("Message actions") }, [
    action(t("Restore to This Point…"), "history", () => host.post({ type: "rewind", id: prompt().id })),
    action(t("Edit and Resend (F2)"), "edit", () => editPrompt(prompt())),
    action(t("Copy Message"), "copy", () => {
      host.post({ type: "copy", text: prompt().text });
      say(t("Copied"), "polite");
    }),
    action(t("Fork from here: start a new session with everything before this message"), "repo-forked", () =>
      host.post({ type: "fork", id: prompt().id }),
    ),
  ]);
}

function shorten(text: string): string {
  const line = text
    .slice(0, 4 * MAX_NAME_CHARS)
    .replace(/\s+/g, " ")
    .trim();
  return line.length <= MAX_NAME_CHARS ? line : `${line.slice(0, MAX_NAME_CHARS - 1)}…`;
}
