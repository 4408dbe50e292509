import type { MadeCall } from "../util/made-calls.ts";
import type { Change } from "./change-journal.ts";
import type { ContentStore } from "./content-store.ts";
import {
  type FileBytes,
  type FileContent,
  findContent,
  hasSameBytes,
  isBytes,
  isSameContent,
  modeOf,
  type OtherEntry,
  permissionsOf,
  toContent,
  toText,
} from "./file-content.ts";
import { differExactly } from "./file-mode.ts";
import { takeBack } from "./file-review.ts";

/** The result of undoing changes in one file. */
export interface Restored {
  readonly path: string;
  readonly current: FileContent;
  readonly restored: FileContent;
  /** Number of places that were changed again since, which stay as they are. */
  readonly conflicts: number;
  /** Number of changes that cannot be undone, because the earlier content is unknown. */
  readonly lost: number;
}

export interface RewindPorts {
  readonly store: Pick<ContentStore, "get">;
  /** Reads the content of a file, as the editor has it when it has unsaved changes. */
  read(path: string): Promise<FileContent>;
}

/** True when a call made a change, by the model's id of it; an editor action that changed several files appends each path to the id. */
function belongsToCall({ toolCallId }: Change, callId: string): boolean {
  return toolCallId === callId || toolCallId.startsWith(`${callId} `);
}

/**
 * Returns the changes that a conversation has made since a time: those of its own session, and those of calls from the session that it was
 * forked from.
 */
export function changesFrom(
  all: readonly Change[],
  { session, from, calls }: { readonly session: string; readonly from: number; readonly calls: readonly MadeCall[] },
): Change[] {
  const isOf = (change: Change, call: MadeCall) =>
    belongsToCall(change, call.id) && change.at >= call.from && change.at <= call.to;
  return all.filter(
    (change) => change.at >= from && (change.session === session || calls.some((call) => isOf(change, call))),
  );
}

/** Returns the changes of one call of a session; without any, those of the call in the session that it was forked from. */
export function changesOf(all: readonly Change[], session: string, callId: string): Change[] {
  const made = all.filter((change) => belongsToCall(change, callId));
  const own = made.filter((change) => change.session === session);
  return own.length > 0 ? own : made;
}

/**
 * Computes files without some changes, the last one undone first; changes by others stay. Writes nothing.
 * @param changes in the order in which they happened.
 */
export async function planRewind(changes: readonly Change[], ports: RewindPorts): Promise<Restored[]> {
  const byPath = new Map<string, Change[]>();
  for (const change of changes.toReversed()) byPath.set(change.path, [...(byPath.get(change.path) ?? []), change]);
  const plans = await Promise.all([...byPath].map(([path, backwards]) => planFile(path, backwards, ports)));
  return plans
    .filter(({ current, restored, conflicts, lost }) => conflicts + lost > 0 || !isSameContent(current, restored))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Computes a file without some changes of it, which are given with the last one first. */
export async function planFile(
  path: string,
  backwards: readonly Pick<Change, "before" | "after">[],
  { store, read }: RewindPorts,
): Promise<Restored> {
  const current = await read(path);
  let restored = current;
  let [conflicts, lost] = [0, 0];
  for (const change of backwards) {
    const before = await findContent(change.before, store);
    const after = await findContent(change.after, store);
    if (isLost(before)) {
      lost += 1;
      continue;
    }
    const step = stepBack({ before, after, current: restored });
    restored = step.content;
    conflicts += step.conflicts;
  }
  return { path, current, restored, conflicts, lost };
}

type Known = null | FileBytes | OtherEntry;

function isLost(content: FileContent | undefined): content is Exclude<FileContent, Known> | undefined {
  return content === undefined || (content !== null && "unknown" in content);
}

interface Step {
  readonly before: Known;
  readonly after: FileContent | undefined;
  readonly current: FileContent;
}

function stepBack(step: Step): { content: FileContent; conflicts: number } {
  const { content, conflicts } = bytesBack(step);
  const { before, after = null, current } = step;
  const [was, became, is] = [before, after, current].map(permissionsOf);
  if (content === null || is === undefined || permissionsOf(content) === undefined) return { content, conflicts };
  // A later change of the permissions takes precedence.
  const mode = differExactly(was, became) && !differExactly(became, is) ? was : is;
  return { content: withPermissions(content, mode ?? is), conflicts };
}

function withPermissions(content: FileContent, mode: number): FileContent {
  if (content !== null && "folder" in content) return { folder: mode };
  return isBytes(content) && content.mode !== mode ? { ...content, mode } : content;
}

function bytesBack({ before, after, current }: Step): { content: FileContent; conflicts: number } {
  if (after !== undefined && hasSameBytes(after, current)) return { content: before, conflicts: 0 };
  if (hasSameBytes(before, current)) return { content: current, conflicts: 0 };
  const [old, made, now] = [toText(before), after === undefined ? undefined : toText(after), toText(current)];
  if (old === undefined || made === undefined || now === undefined) return { content: current, conflicts: 1 };
  const { text, conflicts } = takeBack(old, made, now);
  return { content: toContent(text, modeOf(current)), conflicts };
}
