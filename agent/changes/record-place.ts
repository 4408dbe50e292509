import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { MadeCall } from "../util/made-calls.ts";
import { ChangeJournal, ChangeLine, type ChangeSide, type ChangeJournal as Journal } from "./change-journal.ts";
import { CHANGES_EXTENSION, changesFile } from "./changes-file.ts";
import { ContentStore } from "./content-store.ts";

/** Maximum size of the kept contents of a folder of sessions, in bytes. */
const MAX_STORED_BYTES = 200 * 1024 * 1024;
/** Contents younger than this are kept: another agent may be about to refer to them. In milliseconds. */
const MIN_AGE_MS = 60 * 60 * 1000;

/** The session whose changes are recorded. */
export interface RecordedSession {
  readonly id: string;
  /** The session file; undefined for a session that is not saved. */
  readonly file: string | undefined;
  /** The file of the session that it was copied from. */
  readonly parentFile: string | undefined;
  /** Returns its tool calls. */
  calls(): readonly MadeCall[];
}

/** Where the record of a session lies. */
export interface RecordPlace {
  readonly journal: Journal<ChangeLine>;
  readonly store: ContentStore;
  /** Deletes a place that is only temporary. */
  end(): Promise<void>;
}

/** Opens the record of a session. A copy of a session begins with the changes of the calls that it has. */
export async function openRecord(session: RecordedSession): Promise<RecordPlace> {
  const { id, file, parentFile } = session;
  if (file === undefined) return temporaryPlace();
  const place = openPlace(file);
  const isNew = parentFile !== undefined && (await place.journal.all()).length === 0;
  if (isNew) await copyRecord(openPlace(parentFile), place, { session: id, calls: session.calls() });
  return place;
}

/** Opens the record beside a session file. */
function openPlace(sessionFile: string): RecordPlace {
  return {
    journal: new ChangeJournal(changesFile(sessionFile), ChangeLine),
    store: new ContentStore(contentsFolder(sessionFile)),
    end: async () => undefined,
  };
}

/** Makes a place for the record of a session that is not saved. */
async function temporaryPlace(): Promise<RecordPlace> {
  const folder = await mkdtemp(join(tmpdir(), "tiller-changes-"));
  return {
    journal: new ChangeJournal(join(folder, `session${CHANGES_EXTENSION}`), ChangeLine),
    store: new ContentStore(join(folder, "contents")),
    end: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Adds the lines of another record, with their contents, that are about some calls, or all. */
export async function copyRecord(
  from: RecordPlace,
  to: RecordPlace,
  only?: { readonly session: string; readonly calls: readonly MadeCall[] },
): Promise<void> {
  for (const line of await from.journal.all()) {
    const isWanted = only === undefined || (!("judged" in line) && only.calls.some((call) => isOf(line, call)));
    if (!isWanted) continue;
    await Promise.all([copySide(line.before, from, to), copySide(line.after, from, to)]);
    await to.journal.add(only === undefined || "judged" in line ? line : { ...line, session: only.session });
  }
}

/** Deletes the contents that no session of a folder needs, and the oldest ones when there are too many. */
export async function collectContents(sessionFile: string, { journal, store }: RecordPlace): Promise<void> {
  const folder = dirname(sessionFile);
  const wanted = new Set(await journal.collect());
  const names = (await readdir(folder)).filter((name) => name.endsWith(CHANGES_EXTENSION));
  for (const name of names.sort().reverse()) {
    const lines = await new ChangeJournal(join(folder, name), ChangeLine).all();
    for (const { before, after } of lines.toReversed())
      for (const hash of [before, after].flatMap(hashOf)) wanted.add(hash);
  }
  await store.collect([...wanted], MAX_STORED_BYTES, MIN_AGE_MS);
}

function contentsFolder(sessionFile: string): string {
  return join(dirname(sessionFile), "changed-files");
}

function isOf(change: { readonly toolCallId: string; readonly at: number }, call: MadeCall): boolean {
  return change.toolCallId === call.id && change.at >= call.from && change.at <= call.to;
}

async function copySide(side: ChangeSide, from: RecordPlace, to: RecordPlace): Promise<void> {
  for (const hash of hashOf(side)) {
    const bytes = await from.store.get(hash);
    if (bytes !== undefined) await to.store.put(bytes);
  }
}

function hashOf(side: ChangeSide): string[] {
  return side !== null && "hash" in side ? [side.hash] : [];
}
