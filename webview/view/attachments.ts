import type { TextBox } from "../controls.ts";
import type { Host } from "../host.ts";
import { t } from "../l10n.ts";
import type { ContextAttachment } from "../protocol/context.ts";
import { type Attachment, type ImageAttachment, MAX_ATTACHMENTS } from "../protocol/draft.ts";
import type { PanelUi } from "../protocol/ui.ts";
import { attachmentChip, attachmentName } from "./attachment-chips.ts";
import { type ContextPreview, createContextPreview } from "./context-preview.ts";
import { el, setText } from "./dom.ts";
import { readImage } from "./image-file.ts";
import { expandMarks, isBig, lines, type PastedText, pastedText, wordLines } from "./pasted-text.ts";

/** How large a picture may be while the host has not told, in bytes. */
const DEFAULT_MAX_IMAGE_BYTES = 3_500_000;

/** What goes with the next message beside its text, as a row of chips. */
export interface Attachments {
  readonly element: HTMLElement;
  all(): readonly Attachment[];
  images(): readonly ImageAttachment[];
  /** What is read from the editor when the message is sent, as far as its marks stand in the text. */
  contexts(): readonly ContextAttachment[];
  /** Adds chips, each mark once. */
  addContexts(chips: readonly ContextAttachment[]): void;
  readonly preview: Pick<ContextPreview, "element" | "toggle" | "take">;
  /** The text with what was pasted in place of its marks. */
  expand(text: string): string;
  /** Puts attachments here that the host has already. */
  take(attachments: readonly Attachment[], mode: "replace" | "append"): void;
  /** The message has been sent. */
  clear(): void;
  show(ui: PanelUi): void;
  /** The text has changed: a pasted text shows its chip while its mark is in the text. */
  refresh(): void;
  /** Reads pictures and adds them. */
  addFiles(files: readonly File[]): void;
  /** The reading that is under way, if any. */
  reading(): Promise<unknown> | undefined;
}

interface AttachmentsOptions {
  box: TextBox;
  host: Host;
  /** What the draft is, wherever it stands. */
  draftText(): string;
  /** What the editor offers, which may be looked at too. */
  suggested(): readonly ContextAttachment[];
  /** Whether what is here is not the draft, and of no concern to the host. */
  isAside(): boolean;
  say(text: string): void;
  onChanged(): void;
}

/** Makes the row, and takes what is pasted into the box. */
export function createAttachments(options: AttachmentsOptions): Attachments {
  const { box, host, draftText, isAside, suggested, say, onChanged } = options;
  const list = el("ul", "chip-row", { "aria-label": t("Attachments") });
  const warning = el("div", "attachment-note");
  const preview = createContextPreview({
    host,
    say,
    focusComposer: box.focus,
    changed: (chip) => {
      if (!all.some(({ id }) => id === chip.id)) return; // what is only offered has no chip of its own
      shown = "";
      change(all.map((one) => (one.id === chip.id ? chip : one)));
    },
  });
  const element = el("div", "attachments", {}, [list, warning]);
  let all: readonly Attachment[] = [];
  let ui: PanelUi | undefined;
  let problem = "";
  let shown = "";
  let work: Promise<unknown> | undefined;

  const images = () => all.filter((one) => one.kind === "image");
  const contexts = () => all.filter((one) => one.kind === "context").filter(({ mark }) => box.read().includes(mark));
  function change(next: readonly Attachment[]): void {
    all = next;
    if (!isAside()) host.post({ type: "attachments", chat: host.kept().draft.chat, attachments: [...all] });
    refresh();
    onChanged();
  }
  function refresh(): void {
    const text = draftText();
    const own = contexts();
    preview.keepOnly([...own, ...suggested()]);
    const visible = all.filter((one) =>
      one.kind === "context" ? own.includes(one) : one.kind === "image" || text.includes(one.mark),
    );
    const key = visible.map(({ id }) => id).join(" ");
    if (key !== shown)
      list.replaceChildren(...visible.map((one) => attachmentChip(one, { unfold, remove, preview: preview.toggle })));
    shown = key;
    list.hidden = visible.length === 0;
    const isBlind = ui?.acceptsImages === false && images().length > 0;
    setText(
      warning,
      [isBlind ? t("{0} cannot see pictures.", ui?.modelLabel || t("The model")) : "", problem]
        .filter(Boolean)
        .join(" "),
    );
    warning.hidden = warning.textContent === "";
    element.hidden = list.hidden && warning.hidden;
  }
  function remove(one: Attachment): void {
    if (one.kind === "text") box.write(draftText().replace(one.mark, () => ""));
    if (one.kind === "context" && one.mark !== "") box.write(withoutMark(box.read(), one.mark));
    change(all.filter(({ id }) => id !== one.id));
    box.focus();
    say(t("{0} removed", attachmentName(one)));
  }
  function unfold(pasted: PastedText): void {
    box.write(draftText().replace(pasted.mark, () => pasted.text));
    change(all.filter(({ id }) => id !== pasted.id));
    box.focus();
  }
  async function read(files: readonly File[]): Promise<void> {
    problem = "";
    for (const file of files) {
      const name = file.name || t("Picture");
      const result = await readImage(file, name, ui?.maxImageBytes ?? DEFAULT_MAX_IMAGE_BYTES);
      if ("refused" in result) tell(result.refused);
      else if (images().length >= MAX_ATTACHMENTS) tell(t("A message takes {0} pictures at most.", MAX_ATTACHMENTS));
      else {
        change([...all, { kind: "image", id: crypto.randomUUID(), name, ...result }]);
        say(t("{0} attached", name));
      }
    }
  }
  /** One whose mark is gone from the message, and from the draft behind it, does not come back. */
  function isNeeded(one: Attachment): boolean {
    return one.kind !== "context" || box.read().includes(one.mark) || draftText().includes(one.mark);
  }
  function tell(text: string): void {
    problem = text;
    refresh();
    say(text);
  }
  function addFiles(files: readonly File[]): void {
    const reading = (work ?? Promise.resolve()).then(() => read(files));
    work = reading;
    void reading.finally(() => {
      if (work === reading) work = undefined;
    });
  }
  box.element.addEventListener("paste", (event) => {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    const files = [...(event.clipboardData?.files ?? [])];
    // Programs that copy a table offer a picture of it too.
    if (text === "" && files.length > 0) addFiles(files);
    else if (isBig(text) && all.length < 2 * MAX_ATTACHMENTS) fold(text);
    else return;
    event.preventDefault();
  });
  function fold(text: string): void {
    const pasted = pastedText(text, all, t("Pasted text"));
    box.insert(pasted.mark);
    change([...all, pasted]);
    say(t("{0} folded, {1}", t("Pasted text"), wordLines(lines(text))));
  }
  refresh();
  return {
    element,
    all: () => all,
    images,
    refresh,
    addFiles,
    reading: () => work,
    expand: (text) => expandMarks(text, all),
    contexts,
    preview,
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
      refresh();
    },
    clear() {
      problem = "";
      if (all.length > 0) change([]);
      refresh();
    },
    show(next) {
      ui = next;
      refresh();
    },
  };
}

/** The blank that came with a mark goes with it. */
function withoutMark(text: string, mark: string): string {
  const at = text.indexOf(mark);
  if (at === -1) return text;
  const end = at + mark.length;
  return text.slice(0, at) + text.slice(text[end] === " " ? end + 1 : end);
}
