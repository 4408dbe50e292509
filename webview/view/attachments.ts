import type { TextBox } from "../controls.ts";
import type { Host } from "../host.ts";
import { type Attachment, type ImageAttachment, MAX_ATTACHMENTS } from "../protocol/draft.ts";
import type { PanelUi } from "../protocol/ui.ts";
import { byteSize, chip } from "./chips.ts";
import { el, setText } from "./dom.ts";
import { readImage } from "./image-file.ts";
import { expandMarks, isBig, lines, type PastedText, pastedText } from "./pasted-text.ts";

/** How large a picture may be while the host has not told, in bytes. */
const DEFAULT_MAX_IMAGE_BYTES = 3_500_000;

/** What goes with the next message beside its text, as a row of chips. */
export interface Attachments {
  readonly element: HTMLElement;
  all(): readonly Attachment[];
  images(): readonly ImageAttachment[];
  /** The text with what was pasted in place of its marks. */
  expand(text: string): string;
  /** Puts attachments here that the host has already. */
  take(attachments: readonly Attachment[], mode: "replace" | "append"): void;
  /** The message has been sent. */
  clear(): void;
  show(ui: PanelUi): void;
  /** The text has changed: a pasted text shows its chip while its mark is in the text. */
  refresh(): void;
  /** Puts a text into the message, folded into a chip with that name. The keyboard must be in the box. */
  fold(text: string, name: string): void;
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
  /** Whether what is here is not the draft, and of no concern to the host. */
  isAside(): boolean;
  say(text: string): void;
  onChanged(): void;
}

/** Makes the row, and takes what is pasted into the box. */
export function createAttachments({ box, host, draftText, isAside, say, onChanged }: AttachmentsOptions): Attachments {
  const list = el("ul", "chip-row", { "aria-label": "Attachments" });
  const warning = el("div", "attachment-note");
  const element = el("div", "attachments", {}, [list, warning]);
  let all: readonly Attachment[] = [];
  let ui: PanelUi | undefined;
  let problem = "";
  let shown = "";
  let work: Promise<unknown> | undefined;

  const images = () => all.filter((one) => one.kind === "image");
  function change(next: readonly Attachment[]): void {
    all = next;
    if (!isAside()) host.post({ type: "attachments", chat: host.kept().draft.chat, attachments: [...all] });
    refresh();
    onChanged();
  }
  function refresh(): void {
    const text = draftText();
    const visible = all.filter((one) => one.kind === "image" || text.includes(one.mark));
    const key = visible.map(({ id }) => id).join(" ");
    if (key !== shown)
      list.replaceChildren(...visible.map((one) => (one.kind === "image" ? imageChip(one) : textChip(one))));
    shown = key;
    list.hidden = visible.length === 0;
    const isBlind = ui?.acceptsImages === false && images().length > 0;
    setText(
      warning,
      [isBlind ? `${ui?.modelLabel || "The model"} cannot see pictures.` : "", problem].filter(Boolean).join(" "),
    );
    warning.hidden = warning.textContent === "";
    element.hidden = list.hidden && warning.hidden;
  }
  function remove(one: Attachment): void {
    if (one.kind === "text") box.write(draftText().replace(one.mark, () => ""));
    change(all.filter(({ id }) => id !== one.id));
    box.focus();
    say(`${nameOf(one)} removed`);
  }
  function imageChip(image: ImageAttachment): HTMLElement {
    const detail = [byteSize(bytesIn(image.data)), image.note].filter(Boolean).join(", ");
    const cross = { label: `Remove ${image.name}`, run: () => remove(image) };
    const src = `data:${image.mimeType};base64,${image.data}`;
    return chip({ label: image.name, detail, title: `${image.name}, ${detail}`, face: { src }, remove: cross });
  }
  function textChip(pasted: PastedText): HTMLElement {
    const label = nameOf(pasted);
    return chip({
      label,
      detail: `${lines(pasted.text)} lines`,
      title: pasted.text.slice(0, 500),
      face: { icon: "note" },
      open: { label: "put into the message", run: () => unfold(pasted) },
      remove: { label: `Remove ${label}`, run: () => remove(pasted) },
    });
  }
  function unfold(pasted: PastedText): void {
    box.write(draftText().replace(pasted.mark, () => pasted.text));
    change(all.filter(({ id }) => id !== pasted.id));
    box.focus();
  }
  async function read(files: readonly File[]): Promise<void> {
    problem = "";
    for (const file of files) {
      const name = file.name || "Picture";
      const result = await readImage(file, name, ui?.maxImageBytes ?? DEFAULT_MAX_IMAGE_BYTES);
      if ("refused" in result) tell(result.refused);
      else if (images().length >= MAX_ATTACHMENTS) tell(`A message takes ${MAX_ATTACHMENTS} pictures at most.`);
      else {
        change([...all, { kind: "image", id: crypto.randomUUID(), name, ...result }]);
        say(`${name} attached`);
      }
    }
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
  function fold(text: string, name?: string): void {
    const pasted = pastedText(text, all, name);
    box.insert(pasted.mark);
    change([...all, pasted]);
    say(`${name ?? "Pasted text"} folded, ${lines(text)} lines`);
  }
  refresh();
  return {
    element,
    all: () => all,
    images,
    refresh,
    fold,
    addFiles,
    reading: () => work,
    expand: (text) => expandMarks(text, all),
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

function nameOf(one: Attachment): string {
  return one.kind === "image" ? one.name : (/^\[(.+?):/.exec(one.mark)?.[1] ?? "Pasted text");
}

/** How many bytes base64 stands for. */
function bytesIn(base64: string): number {
  return Math.floor((base64.replace(/=+$/, "").length * 3) / 4);
}
