import type { Change, ChangeLine, ChangeSide } from "./change-journal.ts";
import { differExactly } from "./file-mode.ts";

/** A change of one file, or the rest of several that the user has judged in part. */
export interface Step {
  readonly before: ChangeSide;
  readonly after: ChangeSide;
  /** The call that made it; none for a rest. */
  readonly toolCallId?: string | undefined;
  readonly isIgnored?: boolean | undefined;
}

/** The steps of a file that nobody has judged, the oldest first, and the calls that made them. */
export interface PendingSteps {
  readonly path: string;
  readonly steps: readonly Step[];
  readonly toolCallIds: readonly string[];
  readonly isIgnored: boolean;
  /** The positions of the first and the last line about them. */
  readonly firstIndex: number;
  readonly index: number;
}

interface Draft {
  steps: Step[];
  toolCallIds: Set<string>;
  isIgnored: boolean;
  firstIndex: number;
  index: number;
}

/** Returns the changes that nobody has judged, by file, those changed last at the end. */
export function pendingOf(lines: readonly ChangeLine[]): PendingSteps[] {
  const files = new Map<string, Draft>();
  for (const [index, line] of lines.entries()) {
    const file = takeDraft(files, line.path, index);
    if (!("judged" in line)) addChange(file, line);
    else if (isSameSide(line.before, line.after)) files.delete(line.path);
    else file.steps = [{ before: line.before, after: line.after }];
  }
  return toSteps(files);
}

/** Returns some of the changes, judged or not, by file. */
export function changesAmong(lines: readonly ChangeLine[], isWanted: (change: Change) => boolean): PendingSteps[] {
  const files = new Map<string, Draft>();
  for (const [index, line] of lines.entries()) {
    if (!("judged" in line) && isWanted(line)) addChange(takeDraft(files, line.path, index), line);
  }
  return toSteps(files);
}

function takeDraft(files: Map<string, Draft>, path: string, index: number): Draft {
  const file = files.get(path) ?? { steps: [], toolCallIds: new Set(), isIgnored: false, firstIndex: index, index };
  files.delete(path);
  files.set(path, file);
  file.index = index;
  return file;
}

function addChange(file: Draft, change: Change): void {
  file.steps.push(change);
  file.toolCallIds.add(change.toolCallId);
  file.isIgnored = change.isIgnored === true;
}

function toSteps(files: ReadonlyMap<string, Draft>): PendingSteps[] {
  return [...files].map(([path, file]) => ({ ...file, path, toolCallIds: [...file.toolCallIds] }));
}

/** True when two sides are known to be the same. */
export function isSameSide(a: ChangeSide, b: ChangeSide): boolean {
  if (a === null || b === null) return a === b;
  if ("hash" in a && "hash" in b) return a.hash === b.hash && !differExactly(a.mode, b.mode);
  if ("link" in a && "link" in b) return a.link === b.link;
  return "folder" in a && "folder" in b && a.folder === b.folder;
}

/** A file that a call renamed: it is `leaving` one path and `arriving` at another. `index` is the position of the latter's line. */
export interface Renaming {
  readonly leaving: Change;
  readonly arriving: Change;
  readonly from: string;
  readonly to: string;
  readonly index: number;
}

/** Returns what calls renamed: a file that is gone after a call, while another has its content. */
export function renamingsIn(lines: readonly ChangeLine[]): Renaming[] {
  const gone = new Map<string, Change[]>();
  for (const line of lines) {
    if ("judged" in line || line.after !== null) continue;
    const key = keyOf(line, line.before);
    if (key === undefined) continue;
    const same = gone.get(key) ?? [];
    same.push(line);
    gone.set(key, same);
  }
  return lines.flatMap((line, index) => {
    if ("judged" in line) return [];
    const key = keyOf(line, line.after);
    const leaving = key === undefined ? undefined : gone.get(key)?.shift();
    return leaving === undefined ? [] : [{ leaving, arriving: line, from: leaving.path, to: line.path, index }];
  });
}

function keyOf({ toolCallId, at }: Change, side: ChangeSide): string | undefined {
  return side === null || !("hash" in side) ? undefined : `${toolCallId}\0${at}\0${side.hash}`;
}
