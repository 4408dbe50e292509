import type { Host } from "../../host.ts";
import { t } from "../../l10n.ts";
import type { FileReference, FooterItem } from "../../protocol/items.ts";
import { icon } from "../common/controls.ts";
import { el } from "../common/dom.ts";

/** So many changed files are shown at first. */
const FIRST_CHIPS = 6;

/** The files and links of a response, as small buttons: those that it changed, and the others on request. @returns undefined if there are none. */
export function referenceRow(
  { files = [], links = [], moreReferences = 0 }: FooterItem,
  host: Host,
): HTMLElement | undefined {
  const chips = [
    ...files.map((file) => fileChip(file, host)),
    ...links.map(({ href, label }) => linkChip(href, label, host)),
  ];
  if (chips.length === 0) return undefined;
  const first = Math.min(FIRST_CHIPS, files.filter(({ edits }) => edits > 0).length);
  const row = el("ul", "references", { "aria-label": t("Files and links") }, chips.slice(0, first));
  const rest = chips.slice(first);
  const left = rest.length + moreReferences;
  if (left === 0) return row;
  const more = el("button", "reference", { type: "button", "aria-label": t("Show {0} more", left) }, [`+${left}`]);
  const holder = el("li", "", {}, [more]);
  more.addEventListener("click", () => {
    const beyond = moreReferences > 0 ? [el("li", "reference-rest", {}, [t("and {0} more", moreReferences)])] : [];
    holder.replaceWith(...rest, ...beyond);
    const [next] = rest;
    next?.querySelector("button")?.focus();
  });
  // There is nothing to show behind it when all that is left was never sent.
  row.append(rest.length === 0 ? el("li", "reference-rest", {}, [t("and {0} more", moreReferences)]) : holder);
  return row;
}

function fileChip(file: FileReference, host: Host): HTMLElement {
  const { path, name, edits, reads, added, removed, change } = file;
  const done = [
    ...(reads > 0 ? [reads === 1 ? t("read") : t("read {0} times", reads)] : []),
    ...(edits > 0 ? [edits === 1 ? t("changed") : t("changed {0} times", edits)] : []),
  ];
  const counts =
    added + removed === 0
      ? []
      : [" ", el("span", "count-added", {}, [`+${added}`]), " ", el("span", "count-removed", {}, [`−${removed}`])];
  const words = el("span", "reference-name", {}, [name.split(/[\\/]/).at(-1) || name]);
  return chip(icon(edits > 0 ? "edit" : "file"), [words, ...counts], `${name}, ${done.join(", ")}`, () =>
    host.post(change === undefined ? { type: "openFile", path } : { type: "openDiff", id: change }),
  );
}

function linkChip(href: string, label: string, host: Host): HTMLElement {
  const words = label === "" ? href.replace(/^https?:\/\/(?:www\.)?/, "").replace(/\/$/, "") : label;
  return chip(icon("link-external"), [el("span", "reference-name", {}, [words])], href, () =>
    host.post({ type: "openLink", href }),
  );
}

function chip(mark: HTMLElement, words: (Node | string)[], title: string, open: () => void): HTMLElement {
  const button = el("button", "reference", { type: "button", title }, [mark, ...words]);
  button.addEventListener("click", open);
  return el("li", "", {}, [button]);
}
