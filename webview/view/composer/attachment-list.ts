import type { Host } from "../../host.ts";
import type { ContextAttachment } from "../../protocol/context.ts";
import type { Attachment, ImageAttachment } from "../../protocol/draft.ts";
import type { TextBox } from "../common/controls.ts";

/** The attachments of the next message. */
export interface AttachmentList {
  all(): readonly Attachment[];
  images(): readonly ImageAttachment[];
  /** Contexts that are read when the message is sent, if their marks are in the text. */
  contexts(): readonly ContextAttachment[];
  /** The attachments with a chip: pasted text has one while its mark is in the draft. */
  visible(): readonly Attachment[];
  /** Puts these in place of all, and tells the host. */
  change(next: readonly Attachment[]): void;
  /** Adds chips, each mark once. */
  addContexts(chips: readonly ContextAttachment[]): void;
  /** Puts attachments here that the host has already. */
  take(attachments: readonly Attachment[], mode: "replace" | "append"): void;
}

/** The environment of the attachments. */
export interface AttachmentListOptions {
  box: TextBox;
  host: Host;
  /** Returns the draft, wherever it is kept. */
  draftText(): string;
  /** True if what is here is not the draft, and of no concern to the host. */
  isAside(): boolean;
  /** The message is another one. */
  onChanged(): void;
}

/** Makes the list. @param refresh draws what is here. */
export function createAttachmentList(options: AttachmentListOptions, refresh: () => void): AttachmentList {
  const { box, host, draftText, isAside, onChanged } = options;
  let all: readonly Attachment[] = [];

  const contexts = () => all.filter((one) => one.kind === "context").filter(({ mark }) => box.read().includes(mark));
  function change(next: readonly Attachment[]): void {
    all = next;
    if (!isAside()) host.post({ type: "attachments", chat: host.kept().draft.chat, attachments: [...all] });
    refresh();
    onChanged();
  }
  /** One whose mark is gone from the message, and from the draft behind it, does not come back. */
  function isNeeded(one: Attachment): boolean {
    return one.kind !== "context" || box.read().includes(one.mark) || draftText().includes(one.mark);
  }
  return {
    all: () => all,
    images: () => all.filter((one) => one.kind === "image"),
    contexts,
    change,
    visible() {
      const text = draftText();
      const own = contexts();
      return all.filter((one) =>
        one.kind === "context" ? own.includes(one) : one.kind === "image" || text.includes(one.mark),
      );
    },
    addContexts(chips) {
      const known = new Set(all.map(({ id }) => id));
      const marks = new Set(contexts().map(({ mark }) => mark));
      const added = chips.filter(({ id, mark }) => !known.has(id) && (mark === "" || !marks.has(mark)));
      if (added.length > 0) change([...all.filter(isNeeded), ...added]);
    },
    take(attachments, mode) {
      const known = new Set(all.map(({ id }) => id));
      all = mode === "replace" ? attachments : [...all, ...attachments.filter(({ id }) => !known.has(id))];
      if (mode === "append") change(all);
      else refresh();
    },
  };
}
