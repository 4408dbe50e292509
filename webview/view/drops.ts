/** What is dragged from the editor's own lists. */
const URI_LISTS = ["application/vnd.code.uri-list", "text/uri-list"];

interface DropTarget {
  files(files: readonly File[]): void;
  uris(uris: readonly string[]): void;
}

/** Takes what is dropped anywhere on `root`. The editor lets a page have drops only while Shift is held. */
export function takeDrops(root: HTMLElement, target: DropTarget): void {
  const isWanted = (transfer: DataTransfer | null) =>
    transfer?.types.some((type) => type === "Files" || URI_LISTS.includes(type)) ?? false;
  root.addEventListener("dragover", (event) => {
    if (!isWanted(event.dataTransfer)) return;
    event.preventDefault();
    root.classList.add("is-dropping");
  });
  root.addEventListener("dragleave", (event) => {
    if (!(event.relatedTarget instanceof Node) || !root.contains(event.relatedTarget))
      root.classList.remove("is-dropping");
  });
  root.addEventListener("drop", (event) => {
    root.classList.remove("is-dropping");
    const { dataTransfer } = event;
    if (dataTransfer === null || !isWanted(dataTransfer)) return;
    event.preventDefault();
    const uris = URI_LISTS.map((type) => dataTransfer.getData(type)).find((list) => list !== "");
    if (uris !== undefined) target.uris(uris.split(/\r?\n/).filter((uri) => uri !== "" && !uri.startsWith("#")));
    else target.files([...dataTransfer.files]);
  });
}
