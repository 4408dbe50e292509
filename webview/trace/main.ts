import "../no-eval.ts";
import "../language.ts";
import { formatNumber, t } from "../l10n.ts";
import { type FromTrace, ToTrace, type TraceRow } from "../protocol/trace.ts";
import { el } from "../view/common/dom.ts";
import { createFilters, kindOf, type Wanted } from "./filters.ts";
import { createFrameDetails } from "./frame-details.ts";
import { createFrameList } from "./frame-list.ts";

declare function acquireVsCodeApi(): { postMessage(message: FromTrace): void };
const api = acquireVsCodeApi();
const post = (message: FromTrace) => api.postMessage(message);
window.addEventListener("error", (event) => post({ type: "pageError", message: event.message }));

let rows: TraceRow[] = [];
/** The frames that hold the text that is looked for, among those up to `searchedSeq`. */
let found = new Set<number>();
let searchedSeq = 0;
let request = 0;
let isPaused = false;
let readSeq = 0;

const note = el("p", "note");
const count = el("span", "count", { role: "status" });
const filters = createFilters(() => {
  found = new Set();
  searchedSeq = 0;
  search();
  draw(0);
});
const list = createFrameList({
  selected({ seq }) {
    readSeq = seq;
    post({ type: "read", seq });
  },
  opened: () => details.focus(),
});
const details = createFrameDetails(() => list.focus());
const pause = button(t("Pause"), () => {
  isPaused = !isPaused;
  pause.textContent = isPaused ? t("Resume") : t("Pause");
  pause.setAttribute("aria-pressed", String(isPaused));
  post({ type: "pause", isPaused });
});
const clear = button(t("Clear"), () => post({ type: "do", action: "clear" }));
const save = button(t("Save…"), () => post({ type: "do", action: "save" }));
const replay = button(t("Replay"), () => post({ type: "do", action: "replay" }));
const settings = button(t("Settings"), () => post({ type: "do", action: "settings" }));
document.body.append(
  el("main", "trace", {}, [
    el("h1", "visually-hidden", {}, [t("Trace")]),
    el("div", "bar", {}, [filters.element, el("div", "buttons", {}, [pause, clear, save, replay, settings]), count]),
    note,
    el("div", "panes", {}, [list.element, details.element]),
  ]),
);
document.addEventListener("keydown", (event) => {
  const isFind = event.key === "f" && (event.ctrlKey || event.metaKey);
  if (!isFind && !(event.key === "/" && !(event.target instanceof HTMLInputElement))) return;
  event.preventDefault();
  filters.focus();
});
window.addEventListener("message", (event) => {
  const message = ToTrace.safeParse(event.data);
  if (message.success) receive(message.data);
  else post({ type: "pageError", message: `The page could not read a message: ${message.error.message}` });
});
post({ type: "ready" });

function receive(message: ToTrace): void {
  switch (message.type) {
    case "start":
      start(message);
      break;
    case "rows":
      add(message);
      break;
    case "frame":
      if (message.seq === readSeq) details.show(titleOf(message.seq), message.text);
      break;
    case "found":
      if (message.request !== request) break;
      for (const seq of message.seqs) found.add(seq);
      draw(0);
      break;
  }
}

function start(message: Extract<ToTrace, { type: "start" }>): void {
  rows = [];
  found = new Set();
  searchedSeq = 0;
  readSeq = 0;
  note.textContent = message.note;
  note.hidden = message.note === "";
  for (const element of [pause, clear, save]) element.hidden = !message.isLive;
  settings.hidden = !message.isLive || message.isEnabled;
  details.clear();
  draw(0);
}

function add({ first, rows: more }: Extract<ToTrace, { type: "rows" }>): void {
  const kept = rows.findIndex(({ seq }) => seq >= first);
  const gone = kept === -1 ? rows : rows.slice(0, kept);
  const wanted = filters.wanted();
  const goneShown = gone.filter((row) => isWanted(row, wanted)).length;
  if (gone.length > 0) rows = rows.slice(gone.length);
  rows.push(...more);
  filters.offer(more);
  search();
  draw(goneShown);
}

/** Asks the host which of the frames that have not been looked at hold the text. */
function search(): void {
  const { text } = filters.wanted();
  const last = rows.at(-1)?.seq ?? 0;
  if (text === "" || last <= searchedSeq) return;
  // An answer to what was asked before, for another text, is of no interest any more.
  if (searchedSeq === 0) request += 1;
  post({ type: "search", request, text, after: searchedSeq });
  searchedSeq = last;
}

function draw(gone: number): void {
  const wanted = filters.wanted();
  const isAll = wanted.direction === "" && wanted.type === "" && wanted.text === "";
  const shown = isAll ? rows : rows.filter((row) => isWanted(row, wanted));
  list.show(shown, gone);
  const words = isAll
    ? t("{0} frames", formatNumber(rows.length))
    : t("{0} of {1} frames", formatNumber(shown.length), formatNumber(rows.length));
  if (count.textContent !== words) count.textContent = words;
}

function isWanted(row: TraceRow, { direction, type, text }: Wanted): boolean {
  if (direction !== "" && row.direction !== direction) return false;
  if (type !== "" && kindOf(row) !== type) return false;
  return text === "" || found.has(row.seq);
}

function titleOf(seq: number): string {
  const row = rows.find((one) => one.seq === seq);
  return row === undefined ? `#${seq}` : `#${seq} ${row.type}`;
}

function button(words: string, onClick: () => void): HTMLButtonElement {
  const element = el("button", "", { type: "button" }, [words]);
  element.addEventListener("click", onClick);
  return element;
}
