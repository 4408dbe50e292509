import { t } from "../l10n.ts";
import { el, setText } from "../view/common/dom.ts";

/** Data types of the editor's lists, tabs, and views, the most detailed first. */
const URI_LISTS = ["application/vnd.code.uri-list", "text/uri-list"];
/** Some of its lists give their addresses only in this form, as JSON. */
const RESOURCES = "resourceurls";
/** The dragged items are lines of the Problems view. */
const PROBLEMS = "application/vnd.code.diagnostics";
/** A hint at what could be done stays this long. */
const HINT_MS = 6_000;

/** Items dragged from the editor: URIs, with lines after `#` if there are any. */
export interface Dropped {
  readonly uris: readonly string[];
  readonly areProblems: boolean;
}

interface DropTarget {
  files(files: readonly File[]): void;
  uris(dropped: Dropped): void;
}

/**
 * Takes what is dropped anywhere on `root`. While something of the editor's own is dragged, the editor lets the page see it with Shift only: that is
 * said when Shift is let go over the page. Files of another program need no Shift.
 * @returns the line that says what a drop does; it is for the eye, and belongs over the composer.
 */
export function takeDrops(root: HTMLElement, target: DropTarget): HTMLElement {
  const hint = el("div", "drop-hint", { "aria-hidden": "true" });
  hint.hidden = true;
  let timer: ReturnType<typeof setTimeout> | undefined;
  function show(text: string): void {
    clearTimeout(timer);
    setText(hint, text);
    hint.hidden = text === "";
  }
  function over(event: DragEvent): void {
    const { dataTransfer } = event;
    if (dataTransfer === null || !isWanted(dataTransfer)) return;
    event.preventDefault();
    // Otherwise the editor takes the page out of the way of files that come from elsewhere.
    if (!isOfEditor(dataTransfer)) event.stopPropagation();
    dataTransfer.dropEffect = "copy";
    root.classList.add("is-dropping");
    show(t("Drop to add to the message"));
  }
  root.addEventListener("dragenter", over);
  root.addEventListener("dragover", over);
  root.addEventListener("dragleave", (event) => {
    if (event.relatedTarget instanceof Node && root.contains(event.relatedTarget)) return;
    const wasOver = root.classList.contains("is-dropping");
    root.classList.remove("is-dropping");
    const isOurs = wasOver && event.dataTransfer !== null && isOfEditor(event.dataTransfer);
    show(isOurs ? t("Hold Shift to drop here") : "");
    timer = setTimeout(() => show(""), HINT_MS);
  });
  root.addEventListener("drop", (event) => {
    root.classList.remove("is-dropping");
    show("");
    const { dataTransfer } = event;
    if (dataTransfer === null || !isWanted(dataTransfer)) return;
    event.preventDefault();
    const uris = readUris(dataTransfer);
    if (uris.length > 0) target.uris({ uris, areProblems: dataTransfer.types.includes(PROBLEMS) });
    else target.files([...dataTransfer.files]);
  });
  return hint;
}

/** Other programs give files, some of them with a list of addresses too. */
function isOfEditor({ types }: DataTransfer): boolean {
  const [ownList = "", anyList = ""] = URI_LISTS;
  return types.includes(ownList) || types.includes(RESOURCES) || (types.includes(anyList) && !types.includes("Files"));
}

function isWanted(transfer: DataTransfer): boolean {
  return transfer.types.includes("Files") || isOfEditor(transfer);
}

function readUris(transfer: DataTransfer): string[] {
  const list = URI_LISTS.map((type) => transfer.getData(type)).find((text) => text !== "");
  const uris = list === undefined ? readResources(transfer.getData(RESOURCES)) : list.split(/\r?\n/);
  return uris.filter((uri) => uri !== "" && !uri.startsWith("#"));
}

function readResources(json: string): string[] {
  try {
    const all: unknown = JSON.parse(json);
    return Array.isArray(all) ? all.filter((one) => typeof one === "string") : [];
  } catch {
    return []; // nothing of the editor's
  }
}
