import type { AgentEvent } from "../../../agent/protocol/events.ts";
import { formatNumber, t } from "../../../webview/l10n.ts";
import { type Fold, type NoticeItem, type NoticeRow, takeId, upsert, withEntry } from "./transcript-state.ts";

/** Number of notices in a row that are shown on their own; the rest of the row is folded into one. */
const MAX_ROW = 20;
/** A row of notices ends when none has come for this long, in milliseconds. */
const ROW_GAP_MS = 2_000;
/** Maximum number of texts in the folded notice, and maximum length of each. */
const MAX_LISTED = 20;
const MAX_LISTED_CHARS = 200;
/** Maximum length of a notice, in UTF-16 units. */
const MAX_NOTICE_CHARS = 4_000;
/** Maximum number of different errors of extensions with a notice of their own. */
const MAX_ERRORS = 20;
/** The key under which other errors are counted. */
const REST = "rest";

type Notice = Pick<NoticeItem, "level" | "text">;

/** Shows a notice of an extension. Equal ones in a row become one with a count; most of a flood are folded into one. */
export function foldNotice(fold: Fold, given: Notice): void {
  const notice = { level: given.level, text: clip(given.text, MAX_NOTICE_CHARS) };
  const before = fold.state.noticeRow;
  const row = before !== undefined && fold.now - before.lastAt <= ROW_GAP_MS ? before : undefined;
  if (row !== undefined && row.rest === undefined && isRepeat(row, notice)) {
    const repeats = row.repeats + 1;
    upsert(fold, { ...row.last, text: `${notice.text} (${times(repeats)})` });
    fold.state.noticeRow = { ...row, lastAt: fold.now, repeats };
  } else if (row !== undefined && row.count >= MAX_ROW) {
    foldRest(fold, row, notice);
  } else {
    const last: NoticeItem = { id: takeId(fold), kind: "notice", ...notice };
    upsert(fold, last);
    fold.state.noticeRow = { lastAt: fold.now, count: (row?.count ?? 0) + 1, last, repeats: 1, rest: undefined };
  }
}

/** Shows that an extension of the agent has failed: each different error once, with a count. */
export function foldExtensionError(
  fold: Fold,
  { extensionPath, event, error, signIn }: Extract<AgentEvent, { type: "extension_error" }>,
): void {
  const { toldErrors, cwd } = fold.state;
  const exact = JSON.stringify([extensionPath, event, error.slice(0, MAX_NOTICE_CHARS)]);
  const key = toldErrors.has(exact) || toldErrors.size < MAX_ERRORS ? exact : REST;
  const told = toldErrors.get(key);
  const count = (told?.count ?? 0) + 1;
  const first =
    signIn === undefined
      ? t("Extension {0} failed in {1}", place(extensionPath, cwd), clip(event, 100))
      : t("You aren't signed in to MCP server {0}", clip(signIn, 100));
  const showLog = { label: t("Show Log"), command: "tiller.showLog" };
  const canSignIn = signIn !== undefined && key !== REST;
  const item: NoticeItem = told?.item ?? {
    id: takeId(fold),
    kind: "notice",
    level: "info",
    text: key === REST ? t("More extension errors") : first,
    detail: clip(error, MAX_NOTICE_CHARS),
    action: canSignIn ? { label: t("Sign In"), command: "tiller.manageMcpServers", subject: signIn } : showLog,
  };
  upsert(fold, count === 1 ? item : { ...item, text: `${item.text} (${times(count)})` });
  fold.state.toldErrors = withEntry(toldErrors, key, { item, count });
}

function isRepeat({ last, repeats }: NoticeRow, notice: Notice): boolean {
  return repeats > 0 && last.level === notice.level && last.text === notice.text;
}

function foldRest(fold: Fold, row: NoticeRow, notice: Notice): void {
  const count = (row.rest?.count ?? 0) + 1;
  const listed = [...(row.rest?.listed ?? []), clip(notice.text, MAX_LISTED_CHARS)].slice(-MAX_LISTED);
  const id = row.rest?.item.id ?? takeId(fold);
  const left = count - listed.length;
  const detail = [...(left > 0 ? [t("({0} more not shown)", left)] : []), ...listed].join("\n");
  const text = count === 1 ? t("1 more notice") : t("{0} more notices", formatNumber(count));
  const item: NoticeItem = { id, kind: "notice", level: "info", text, detail };
  upsert(fold, item);
  fold.state.noticeRow = { ...row, lastAt: fold.now, rest: { item, count, listed } };
}

function times(count: number): string {
  return t("{0} times", formatNumber(count));
}

function place(path: string, cwd: string): string {
  return path.startsWith(`${cwd}/`) || path.startsWith(`${cwd}\\`) ? path.slice(cwd.length + 1) : path;
}

function clip(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars - 1)}…`;
}
