import { t } from "../../l10n.ts";
import { type Attachment, draftOfSent, ImageType } from "../../protocol/draft.ts";
import type { TranscriptItem } from "../../protocol/items.ts";
import { icon } from "../common/controls.ts";
import { el } from "../common/dom.ts";

export type EarlierMessage = Extract<TranscriptItem, { kind: "prompt" }>;

interface Draft {
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

interface PromptEditOptions {
  /** The content of the composer. */
  read(): Draft;
  /** Puts something else there. */
  write(text: string, attachments: readonly Attachment[]): void;
  say(text: string): void;
}

/** An earlier message that is being rewritten, in place of the draft. */
export interface PromptEdit {
  /** The line that says so. */
  readonly element: HTMLElement;
  /** The id of the earlier message; undefined while none is being rewritten. */
  current(): string | undefined;
  begin(prompt: EarlierMessage): void;
  /** Brings the draft back. */
  leave(): void;
  /** The draft, while it waits. */
  hiddenDraft(): string | undefined;
  /** The draft has changed elsewhere. @returns whether it waits here. */
  keep(text: string): boolean;
}

/** Edits an earlier message in the composer while the draft waits. */
export function createPromptEdit({ read, write, say }: PromptEditOptions): PromptEdit {
  const cancel = el(
    "button",
    "chip-remove",
    { type: "button", title: t("Cancel (Escape)"), "aria-label": t("Cancel Editing") },
    [icon("close")],
  );
  const words = el("span", "edit-words", { title: wordWhatComes() }, [t("Editing message (Esc to cancel)")]);
  const element = el("div", "edit-line", {}, [icon("edit"), words, cancel]);
  element.hidden = true;
  let editing: { readonly id: string; readonly draft: Draft } | undefined;
  function leave(): void {
    if (editing === undefined) return;
    const { draft } = editing;
    editing = undefined;
    element.hidden = true;
    write(draft.text, draft.attachments);
  }
  cancel.addEventListener("click", leave);
  return {
    element,
    leave,
    current: () => editing?.id,
    hiddenDraft: () => editing?.draft.text,
    begin(prompt) {
      editing = { id: prompt.id, draft: editing?.draft ?? read() };
      element.hidden = false;
      write(prompt.text, [...imagesOf(prompt), ...(prompt.sent ?? []).map(draftOfSent)]);
      say(t("Editing message. {0}", wordWhatComes()));
    },
    keep(text) {
      if (editing === undefined) return false;
      editing = { ...editing, draft: { ...editing.draft, text } };
      return true;
    },
  };
}

function wordWhatComes(): string {
  return t("Sending starts a new session from here and keeps the current one.");
}

function imagesOf({ id, images }: EarlierMessage): Attachment[] {
  return images.flatMap(({ src, alt }, index) => {
    const [, type, data] = /^data:([^;]+);base64,(.*)$/.exec(src) ?? [];
    const mimeType = ImageType.safeParse(type);
    if (!mimeType.success || data === undefined) return [];
    return [{ kind: "image" as const, id: `${id}-${index}`, name: alt, mimeType: mimeType.data, data, note: "" }];
  });
}
