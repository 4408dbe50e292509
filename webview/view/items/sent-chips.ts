import { t } from "../../l10n.ts";
import type { ContextAttachment } from "../../protocol/context.ts";
import { contextIcon } from "../common/context-face.ts";
import { icon } from "../common/controls.ts";
import { el, setText } from "../common/dom.ts";

/** The chips of what went with a message. */
export interface SentChips {
  readonly element: HTMLElement;
  show(sent: readonly ContextAttachment[]): void;
  /** The collapsed content. */
  hiddenText(): string;
  /** Unfolds all. */
  reveal(): void;
}

/** Makes the chips; each unfolds to the exact bytes. */
export function createSentChips(): SentChips {
  const list = el("ul", "chip-row", { "aria-label": t("Sent with this message") });
  const bodies = el("div", "sent-bodies");
  const element = el("div", "sent", {}, [list, bodies]);
  element.hidden = true;
  let drawn = "";
  function one(context: ContextAttachment): { line: HTMLElement; body: HTMLElement; open: (isOpen: boolean) => void } {
    const text = el("pre", "preview-text", { tabindex: "0", "aria-label": context.label });
    const note = el("div", "preview-note");
    setText(note, context.note);
    const body = el("div", "sent-body", {}, [note, text]);
    const button = el("button", "chip-body", { type: "button", "aria-expanded": "false", title: context.note }, [
      icon(contextIcon(context)),
      el("span", "chip-name", {}, [context.label]),
      " ",
      el("span", "chip-detail", {}, [context.detail]),
    ]);
    body.hidden = true;
    const open = (isOpen: boolean) => {
      // Made when it is looked at: a long conversation may have carried much.
      setText(text, isOpen ? (context.fixed?.content ?? "") : "");
      text.hidden = text.textContent === "";
      note.hidden = note.textContent === "";
      body.hidden = !isOpen;
      button.setAttribute("aria-expanded", String(isOpen));
    };
    button.addEventListener("click", () => open(body.hidden === true));
    return { line: el("li", "chip-small", {}, [button]), body, open };
  }
  let chips: readonly { readonly context: ContextAttachment; open(isOpen: boolean): void; body: HTMLElement }[] = [];
  return {
    element,
    show(sent) {
      const key = sent.map(({ id }) => id).join(" ");
      if (key === drawn) return;
      drawn = key;
      const made = sent.map((context) => ({ context, ...one(context) }));
      chips = made;
      list.replaceChildren(...made.map(({ line }) => line));
      bodies.replaceChildren(...made.map(({ body }) => body));
      element.hidden = sent.length === 0;
    },
    hiddenText: () =>
      chips.map(({ context, body }) => (body.hidden === true ? (context.fixed?.content ?? "") : "")).join("\n"),
    reveal() {
      for (const { open } of chips) open(true);
    },
  };
}
