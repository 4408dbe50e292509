import { icon } from "../controls.ts";
import type { Host } from "../host.ts";
import { t } from "../l10n.ts";
import type { ContextAttachment } from "../protocol/context.ts";
import type { ToPanel } from "../protocol/to-panel.ts";
import { el, setText } from "./dom.ts";

type Preview = Extract<ToPanel, { type: "contextPreview" }>;

interface ContextPreviewOptions {
  readonly host: Host;
  /** The chip has other words, or is fixed, or is not any more. */
  changed(chip: ContextAttachment): void;
  focusComposer(): void;
  say(text: string): void;
}

/** What a chip will send, to the byte, unfolded over the composer. */
export interface ContextPreview {
  readonly element: HTMLElement;
  /** Unfolds a chip, or folds it when it is the one that is unfolded. */
  toggle(chip: ContextAttachment): void;
  /** The host's answer; one about another chip is skipped. */
  take(preview: Preview): void;
  /** Folds what is unfolded, unless it is one of these. */
  keepOnly(chips: readonly ContextAttachment[]): void;
}

/** Makes the place; it is hidden while nothing is unfolded. */
export function createContextPreview({ host, changed, focusComposer, say }: ContextPreviewOptions): ContextPreview {
  const name = el("span", "preview-name");
  const fix = el("button", "preview-fix", { type: "button" });
  const close = el("button", "chip-remove", { type: "button", title: t("Fold"), "aria-label": t("Fold") }, [
    icon("chevron-up"),
  ]);
  const note = el("div", "preview-note");
  const text = el("pre", "preview-text", { tabindex: "0" });
  const element = el("section", "context-preview", { "aria-label": t("What will be sent") }, [
    el("div", "preview-head", {}, [name, fix, close]),
    note,
    text,
  ]);
  element.hidden = true;
  let shown: ContextAttachment | undefined;
  let latest: Preview["block"] | undefined;

  function draw(): void {
    element.hidden = shown === undefined;
    if (shown === undefined) return;
    const { fixed, source, label, detail } = shown;
    setText(name, `${label}, ${detail}`);
    const cutNote = shown.note;
    setText(note, [fixed ? t("Sent as it is here.") : t("Read again when it is sent."), cutNote].join(" ").trim());
    setText(text, (fixed ?? latest)?.content ?? "");
    fix.hidden = source.kind === "sent" || (fixed === undefined && latest === undefined);
    setText(fix, fixed === undefined ? t("Keep this") : t("Read anew"));
  }
  function fold(): void {
    shown = undefined;
    latest = undefined;
    draw();
  }
  function ask(chip: ContextAttachment): void {
    host.post({ type: "previewContext", id: chip.id, source: chip.source });
  }
  fix.addEventListener("click", () => {
    if (shown === undefined) return;
    const { fixed, ...chip } = shown;
    if (fixed !== undefined) {
      shown = chip;
      ask(chip);
    } else if (latest !== undefined) {
      shown = { ...chip, fixed: latest };
    }
    changed(shown);
    say(shown.fixed === undefined ? t("Read again when it is sent.") : t("Sent as it is here."));
    draw();
  });
  close.addEventListener("click", () => {
    fold();
    focusComposer();
  });
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    fold();
    focusComposer();
  });
  return {
    element,
    toggle(chip) {
      const isShown = shown?.id === chip.id;
      fold();
      if (isShown) return;
      shown = chip;
      if (chip.fixed === undefined) ask(chip);
      draw();
    },
    take({ id, block, label, detail, note: words }) {
      if (shown?.id !== id || shown.fixed !== undefined) return;
      latest = block;
      shown = { ...shown, label, detail, note: words };
      changed(shown);
      draw();
    },
    keepOnly(chips) {
      if (shown !== undefined && !chips.some(({ id }) => id === shown?.id)) fold();
    },
  };
}
