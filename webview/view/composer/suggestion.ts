import type { Host } from "../../host.ts";
import { t } from "../../l10n.ts";
import type { ContextAttachment } from "../../protocol/context.ts";
import type { PanelUi } from "../../protocol/ui.ts";
import { contextIcon } from "../common/context-face.ts";
import { icon } from "../common/controls.ts";
import { el } from "../common/dom.ts";
import { chip } from "./chips.ts";

interface SuggestionOptions {
  readonly host: Host;
  /** The chips become part of the message. */
  accept(chips: readonly ContextAttachment[]): void;
  /** Unfolds what a chip would send. */
  preview(chip: ContextAttachment): void;
  focusComposer(): void;
  say(text: string): void;
}

/** The editor's suggestion for the next message: dimmed until it is accepted. */
export interface Suggestion {
  readonly element: HTMLElement;
  show(ui: PanelUi): void;
  /** Content that is attached automatically, by a setting. */
  taken(): readonly ContextAttachment[];
  /** Takes the key that accepts. @returns whether there was anything to be accepted. */
  takeKey(event: KeyboardEvent): boolean;
  /** The announcement for users who enter the composer and don't see the chip. */
  hint(): string | undefined;
}

/** Makes the row; it is hidden while nothing is offered. */
export function createSuggestion({ host, accept, preview, focusComposer, say }: SuggestionOptions): Suggestion {
  const element = el("ul", "chip-row suggestion", { "aria-label": t("From the editor") });
  element.hidden = true;
  let shown: PanelUi["suggestion"];
  let drawn = "";

  function takeAll(): void {
    if (shown === undefined) return;
    const chips = shown.contexts.map((one) => ({ ...one, id: crypto.randomUUID() }));
    hide();
    host.post({ type: "suggestion", action: "accept" });
    accept(chips);
    say(t("{0} attached", namesOf(chips)));
  }
  function takeAllAndWrite(): void {
    takeAll();
    focusComposer();
  }
  function dismiss(): void {
    hide();
    host.post({ type: "suggestion", action: "dismiss" });
    focusComposer();
    say(t("Automatic context is off for this chat"));
  }
  function hide(): void {
    shown = undefined;
    draw();
  }
  function draw(): void {
    const key = JSON.stringify(shown) ?? "";
    if (key === drawn) return;
    drawn = key;
    element.hidden = shown === undefined;
    if (shown === undefined) element.replaceChildren();
    else
      element.replaceChildren(
        ...(shown.isTaken
          ? shown.contexts.map((one) => takenChip(one, { preview, dismiss }))
          : [ghost(shown.contexts, { add: takeAllAndWrite, dismiss })]),
      );
  }
  return {
    element,
    taken: () => (shown?.isTaken ? shown.contexts : []),
    show(ui) {
      shown = ui.suggestion;
      draw();
    },
    takeKey(event) {
      const isPlain = !event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey;
      if (event.key !== "Tab" || !isPlain || shown === undefined || shown.isTaken) return false;
      event.preventDefault();
      takeAll();
      return true;
    },
    hint: () =>
      shown === undefined || shown.isTaken ? undefined : t("Press Tab to attach {0}", namesOf(shown.contexts)),
  };
}

/** Content that is attached automatically. */
function takenChip(one: ContextAttachment, run: Pick<SuggestionOptions, "preview"> & { dismiss(): void }): HTMLElement {
  return chip({
    label: one.label,
    detail: one.detail,
    title: one.note,
    face: { icon: contextIcon(one) },
    open: { label: t("Show what will be sent"), run: () => run.preview(one) },
    remove: { label: t("Don't attach context automatically in this chat"), run: run.dismiss },
  });
}

/** A suggestion that isn't accepted yet. */
function ghost(chips: readonly ContextAttachment[], run: { add(): void; dismiss(): void }): HTMLElement {
  const label = namesOf(chips);
  const attributes = { type: "button", title: t("Attach {0} (Tab)", label) };
  const add = el("button", "chip-body", attributes, [
    icon("add"),
    el("span", "chip-name", {}, [t("selection {0}", label)]),
    " ",
    el("kbd", "chip-key", {}, [t("Tab")]),
  ]);
  const words = t("Don't suggest context in this chat");
  const cross = el("button", "chip-remove", { type: "button", title: words, "aria-label": words }, [icon("close")]);
  add.addEventListener("click", run.add);
  cross.addEventListener("click", run.dismiss);
  return el("li", "chip-small is-ghost", {}, [add, cross]);
}

function namesOf(chips: readonly ContextAttachment[]): string {
  return chips.map(({ label }) => label).join(", ");
}
