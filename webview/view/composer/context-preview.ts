import type { Host } from "../../host.ts";
import { t } from "../../l10n.ts";
import type { ContextAttachment } from "../../protocol/context.ts";
import type { ToPanel } from "../../protocol/to-panel.ts";
import { icon } from "../common/controls.ts";
import { el, setText } from "../common/dom.ts";

type Preview = Extract<ToPanel, { type: "contextPreview" }>;

interface ContextPreviewOptions {
  readonly host: Host;
  /** The chip has other words, or is fixed, or is not any more. */
  changed(chip: ContextAttachment): void;
  focusComposer(): void;
  say(text: string): void;
}

/** The exact content that a chip will send, expanded above the composer. */
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
  const face = createFace({ keepOrRead, close });
  let shown: ContextAttachment | undefined;
  let latest: Preview["block"] | undefined;

  function show(chip: ContextAttachment | undefined, block?: Preview["block"]): void {
    shown = chip;
    latest = block;
    face.draw(chip, block);
  }
  function close(): void {
    show(undefined);
    focusComposer();
  }
  function ask(chip: ContextAttachment): void {
    host.post({ type: "previewContext", id: chip.id, source: chip.source });
  }
  /** Keeps exactly this content for sending, or reads it again after all. */
  function keepOrRead(): void {
    if (shown === undefined) return;
    const { fixed, ...chip } = shown;
    if (fixed !== undefined) ask(chip);
    const next: ContextAttachment = fixed === undefined && latest !== undefined ? { ...chip, fixed: latest } : chip;
    show(next, latest);
    changed(next);
    say(next.fixed === undefined ? t("Updates when you send the message.") : t("Sent exactly as shown here."));
  }
  return {
    element: face.element,
    toggle(chip) {
      if (shown?.id === chip.id) {
        show(undefined);
        return;
      }
      if (chip.fixed === undefined) ask(chip);
      show(chip);
    },
    take({ id, block, label, detail, note }) {
      if (shown?.id !== id || shown.fixed !== undefined) return;
      const next = { ...shown, label, detail, note };
      show(next, block);
      changed(next);
    },
    keepOnly(chips) {
      if (shown !== undefined && !chips.some(({ id }) => id === shown?.id)) show(undefined);
    },
  };
}

/** The view of an expanded chip. */
interface Face {
  readonly element: HTMLElement;
  /** @param block what would be sent at this moment, if the host has told. */
  draw(chip: ContextAttachment | undefined, block: Preview["block"] | undefined): void;
}

function createFace({ keepOrRead, close }: { keepOrRead(): void; close(): void }): Face {
  const name = el("span", "preview-name");
  const keep = el("button", "preview-fix", { type: "button" });
  const attributes = { type: "button", title: t("Collapse"), "aria-label": t("Collapse") };
  const cross = el("button", "chip-remove", attributes, [icon("chevron-up")]);
  const note = el("div", "preview-note");
  const text = el("pre", "preview-text", { tabindex: "0" });
  const head = el("div", "preview-head", {}, [name, keep, cross]);
  const element = el("section", "context-preview", { "aria-label": t("What will be sent") }, [head, note, text]);
  element.hidden = true;
  keep.addEventListener("click", keepOrRead);
  cross.addEventListener("click", close);
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    close();
  });
  return {
    element,
    draw(chip, block) {
      element.hidden = chip === undefined;
      if (chip === undefined) return;
      const { fixed, source, label, detail, note: cutNote } = chip;
      setText(name, `${label}, ${detail}`);
      setText(
        note,
        [fixed ? t("Sent exactly as shown here.") : t("Updates when you send the message."), cutNote].join(" ").trim(),
      );
      setText(text, (fixed ?? block)?.content ?? "");
      keep.hidden = source.kind === "sent" || (fixed === undefined && block === undefined);
      setText(keep, fixed === undefined ? t("Keep as Shown") : t("Update When Sent"));
    },
  };
}
