import type { FileChange, UndoneFile } from "../protocol/changes.ts";
import { AgentError } from "../protocol/errors.ts";
import type { Change, ChangeJournal, ChangeLine, ChangeSide } from "./change-journal.ts";
import type { ContentStore } from "./content-store.ts";
import { type FileContent, findContent, keepContent, modeOf, toContent, toText } from "./file-content.ts";
import { applyHunk, type Hunk, revertHunk, splitLines } from "./line-diff.ts";
import { changesAmong, type PendingSteps, pendingOf, type Renaming, renamingsIn, type Step } from "./pending.ts";
import { inPieces } from "./pieces.ts";
import type { WantedEntry } from "./restore-entries.ts";
import { planFile } from "./rewind.ts";
import { describeFile, hunkId, hunksBetween, type Sides, toShown, toWireHunk } from "./shown-change.ts";
import { refusedOf, undoneAs } from "./undo-outcome.ts";
import { planUndo, type UndoPlan } from "./undo-plan.ts";
import { isFileOf } from "./within.ts";

/** Maximum number of files worked on at a time. */
const FILES_AT_ONCE = 20;

/** The changes to look at: those of a call, or of a span of time in Unix ms; without either, all that nobody has judged. */
export interface Selection {
  readonly toolCallId?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Only these files, and everything in these folders. */
  readonly paths?: readonly string[] | undefined;
}

/** The files as they are now. */
export interface Disk {
  read(path: string): Promise<FileContent>;
  /** Brings files back to what they were. @returns the reasons of those that could not be restored, by path. */
  restore(entries: readonly WantedEntry[]): Promise<ReadonlyMap<string, string>>;
}

interface RecordParts {
  readonly journal: Pick<ChangeJournal<ChangeLine>, "add" | "all">;
  readonly store: Pick<ContentStore, "put" | "get">;
  readonly disk: Disk;
  now(): number;
}

/** A file without the changes that nobody has judged. */
interface Baseline {
  readonly file: PendingSteps;
  readonly content: FileContent;
}

interface FoundHunk {
  readonly file: PendingSteps;
  readonly plan: UndoPlan;
  readonly hunk: Hunk;
  readonly sides: Sides;
}

/** The recorded changes of a session: shows, keeps and undoes them. */
export class ChangeRecord {
  readonly #parts: RecordParts;

  constructor(parts: RecordParts) {
    this.#parts = parts;
  }

  /** Adds a change. @throws Error of the file system. */
  add(change: Change): Promise<void> {
    return this.#parts.journal.add(change);
  }

  /** Returns the changed files. */
  async list(selection: Selection): Promise<FileChange[]> {
    const renamings = renamingsIn(await this.#parts.journal.all());
    const listed: FileChange[] = [];
    for (const file of await this.#select(selection)) {
      const { sides, isChangedSince } = await this.#sidesOf(file, selection);
      const described = describeFile(file.path, sides);
      if (described === undefined) continue;
      const renamed = renamings.findLast(({ to, index }) => to === file.path && index <= file.index);
      listed.push({
        ...described,
        ...(renamed === undefined || described.kind !== "created" ? {} : { renamedFrom: renamed.from }),
        ...(file.isIgnored ? { isIgnored: true } : {}),
        ...(isChangedSince ? { isChangedSince } : {}),
        toolCallIds: [...file.toolCallIds],
      });
    }
    return listed.sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** Returns how many files were changed between each of these times and the next one; Unix ms, the earliest first. */
  async countFiles(times: readonly number[]): Promise<number[]> {
    const files = times.map(() => new Set<string>());
    for (const line of await this.#parts.journal.all()) {
      if ("judged" in line || isOfFolder(line)) continue;
      const at = times.findLastIndex((time) => time <= line.at);
      files[at]?.add(line.path);
    }
    return files.map(({ size }) => size);
  }

  /** Returns both sides of a changed file. @throws AgentError not_found for a file without changes. */
  async show(selection: Selection, path: string) {
    const file = await this.#only({ ...selection, paths: [path] }, path);
    const { sides, isChangedSince } = await this.#sidesOf(file, selection);
    const hunks = (hunksBetween(sides) ?? []).map(toWireHunk);
    const changed = isChangedSince ? { isChangedSince } : {};
    return { path, before: toShown(sides.before), after: toShown(sides.after), hunks, ...changed };
  }

  /** Accepts changes. @returns the paths. @throws AgentError not_found for a hunk that is not there. */
  async keep(selection: Selection, hunk?: string): Promise<string[]> {
    if (hunk !== undefined) return [await this.#keepHunk(selection, hunk)];
    const files = await this.#select(selection);
    const pending = new Map(pendingOf(await this.#parts.journal.all()).map((file) => [file.path, file]));
    const kept: string[] = [];
    for (const { path, toolCallIds } of files) {
      const file = pending.get(path);
      if (file === undefined) continue;
      kept.push(path);
      const ids = new Set(isWhole(selection) ? file.toolCallIds : toolCallIds);
      await this.#keepCalls(file, ids);
    }
    return kept;
  }

  /**
   * Undoes changes. A file that is no longer as the agent left it is refused, unless `merge` says that only the agent's part is to be undone; then
   * places that somebody has changed since stay as they are.
   * @throws AgentError not_found for a hunk that is not there.
   */
  async undo(
    selection: Selection,
    { hunk, merge = false }: { hunk?: string; merge?: boolean } = {},
  ): Promise<UndoneFile[]> {
    if (hunk !== undefined) return [await this.#undoHunk(selection, hunk)];
    const files = await this.#select(selection);
    const lines = await this.#parts.journal.all();
    const renamings = renamingsIn(lines);
    const pending = pendingOf(lines);
    const baselines = new Map<string, Baseline>();
    for (const file of isWhole(selection) ? [] : pending) {
      baselines.set(file.path, { file, content: (await this.#plan(file)).restored });
    }
    const plans: [PendingSteps, UndoPlan][] = [];
    for (const some of inPieces(files, FILES_AT_ONCE)) {
      const planned = some.map(
        async (file): Promise<[PendingSteps, UndoPlan]> => [file, await planUndo(file, renamings, this.#planPorts())],
      );
      plans.push(...(await Promise.all(planned)));
    }
    const refusals = refusedOf(plans, renamings, merge);
    const allowed = plans.filter(([{ path }]) => !refusals.has(path));
    const failures = await this.#parts.disk.restore(allowed.map(([, plan]) => plan));
    const done = allowed.filter(([, plan]) => !failures.has(plan.path));
    for (const some of inPieces(done, FILES_AT_ONCE)) {
      await Promise.all(some.map(([file, plan]) => this.#undone(file, plan, baselines)));
    }
    return plans.flatMap(([{ path }, plan]) =>
      undoneAs(plan, { failure: failures.get(plan.path), refusal: refusals.get(path), merge }),
    );
  }

  /** Notes that changes are undone; of the file's other changes, those that nobody has judged are still to be judged. */
  async #undone(
    { path, steps }: PendingSteps,
    { path: place, restored }: UndoPlan,
    baselines: ReadonlyMap<string, Baseline>,
  ): Promise<void> {
    if (place !== path) await this.#judge(path, undefined);
    const baseline = baselines.get(place);
    if (baseline === undefined) return this.#judge(place, undefined);
    const kept = steps.filter((step) => !isPending(step, baseline.file));
    const ports = { ...this.#planPorts(), read: async () => baseline.content };
    const before = await planFile(place, kept.toReversed(), ports);
    await this.#judge(place, before.conflicts > 0 ? undefined : { before: before.restored, after: restored });
  }

  async #keepCalls(file: PendingSteps, ids: ReadonlySet<string>): Promise<void> {
    const isKept = ({ toolCallId }: { toolCallId?: string | undefined }) =>
      toolCallId === undefined ? file.toolCallIds.every((id) => ids.has(id)) : ids.has(toolCallId);
    const left = file.steps.filter((step) => !isKept(step));
    if (left.length === 0) return this.#judge(file.path, undefined);
    const { restored, current, conflicts } = await this.#plan({ ...file, steps: left });
    await this.#judge(file.path, conflicts > 0 ? undefined : { before: restored, after: current });
  }

  async #keepHunk(selection: Selection, id: string): Promise<string> {
    const { plan, hunk, sides } = await this.#findHunk(selection, id);
    const text = applyHunk(splitLines(toText(sides.before) ?? ""), hunk).join("");
    const isAllKept = plan.current === null && text === "";
    const before = toContent(text, modeOf(plan.restored));
    await this.#judge(plan.path, isAllKept ? undefined : { before, after: plan.current });
    return plan.path;
  }

  async #undoHunk(selection: Selection, id: string): Promise<UndoneFile> {
    const { file, plan, hunk, sides } = await this.#findHunk(selection, id);
    const text = revertHunk(splitLines(toText(sides.after) ?? ""), hunk).join("");
    const { path, current } = plan;
    if (sides.before === null && text === "") return this.#undoFile(path);
    const from = renamingsIn(await this.#parts.journal.all()).find(
      ({ to, index }) => to === path && index >= file.firstIndex,
    )?.from;
    if (from !== undefined) {
      const reason = `${from} was renamed to it. Undo the whole file instead.`;
      return { path, outcome: "refused", code: "conflict", reason, canMerge: false };
    }
    const restored = toContent(text, modeOf(plan.current) ?? modeOf(plan.restored));
    const failures = await this.#parts.disk.restore([{ path, current, restored }]);
    const failure = failures.get(path);
    if (failure !== undefined) return { path, outcome: "refused", code: "failed", reason: failure };
    await this.#judge(path, { before: plan.restored, after: restored });
    return { path, outcome: "undone" };
  }

  async #undoFile(path: string): Promise<UndoneFile> {
    const undone = await this.undo({ paths: [path] });
    return undone.find((file) => file.path === path) ?? { path, outcome: "undone" };
  }

  async #findHunk(selection: Selection, id: string): Promise<FoundHunk> {
    const [path] = selection.paths ?? [];
    if (path === undefined || selection.paths?.length !== 1 || !isWhole(selection)) {
      throw new AgentError("invalid_request", "A hunk needs the one path that it is in, and no call or message.");
    }
    const file = await this.#only(selection, path);
    const plan = await this.#plan(file);
    const sides = { before: plan.restored, after: plan.current };
    const hunk = hunksBetween(sides)?.find((one) => hunkId(one) === id);
    if (hunk !== undefined) return { file, plan, hunk, sides };
    throw new AgentError("not_found", `${path} has no hunk ${id} now. Look at it again with get_change.`);
  }

  /** Stores a judgement; undefined when nothing is left to judge. */
  async #judge(path: string, left: Sides | undefined): Promise<void> {
    const { journal, store, now } = this.#parts;
    const [before, after] = left === undefined ? [null, null] : [left.before, left.after];
    const sides = { before: await keepContent(before, store), after: await keepContent(after, store) };
    await journal.add({ at: now(), judged: true, path, ...sides });
  }

  async #sidesOf(file: PendingSteps, selection: Selection): Promise<{ sides: Sides; isChangedSince: boolean }> {
    const plan = await this.#plan(file);
    const { isChangedSince } = plan;
    if (isWhole(selection)) return { sides: { before: plan.restored, after: plan.current }, isChangedSince };
    const before = await this.#contentOf(file.steps[0]?.before ?? null);
    const after = await this.#contentOf(file.steps.at(-1)?.after ?? null);
    return { sides: { before, after }, isChangedSince };
  }

  async #contentOf(side: ChangeSide): Promise<FileContent> {
    const content = await findContent(side, this.#parts.store);
    return content === undefined ? { unknown: "notSeen" } : content;
  }

  async #plan(file: PendingSteps): Promise<UndoPlan> {
    return planUndo(file, [], this.#planPorts());
  }

  #planPorts() {
    return { store: this.#parts.store, read: (path: string) => this.#parts.disk.read(path) };
  }

  async #only(selection: Selection, path: string): Promise<PendingSteps> {
    const file = (await this.#select(selection)).find((one) => one.path === path);
    if (file === undefined) throw new AgentError("not_found", `The agent's changes have none of ${path} here.`);
    return file;
  }

  async #select(selection: Selection): Promise<PendingSteps[]> {
    const { toolCallId, from = 0, to = Number.POSITIVE_INFINITY, paths } = selection;
    const lines = await this.#parts.journal.all();
    const found = isWhole(selection)
      ? pendingOf(lines)
      : changesAmong(lines, (change) =>
          toolCallId === undefined ? change.at >= from && change.at < to : change.toolCallId === toolCallId,
        );
    if (paths === undefined) return found;
    const named = withRenamed(paths, renamingsIn(lines));
    const isNamed = (path: string) => named.has(path) || paths.some((folder) => isFileOf(folder, path));
    const isAbove = (folder: string) => paths.some((named) => isFileOf(folder, named));
    return found.filter(({ path, steps }) => isNamed(path) || (isAbove(path) && steps.every(isOfFolder)));
  }
}

/** Adds the other paths of renamed files: a rename is one change. */
function withRenamed(paths: readonly string[], renamings: readonly Renaming[]): ReadonlySet<string> {
  const all = new Set(paths);
  for (const { from, to } of [...renamings, ...renamings.toReversed()]) {
    if (all.has(from)) all.add(to);
    if (all.has(to)) all.add(from);
  }
  return all;
}

/** True for a step that nobody has judged, or that is part of the rest of a file's changes. */
function isPending(step: Step, { steps, toolCallIds }: PendingSteps): boolean {
  const isPartOfRest = steps.some(({ toolCallId }) => toolCallId === undefined);
  return steps.includes(step) || (isPartOfRest && toolCallIds.some((id) => id === step.toolCallId));
}

/** True for a step that makes or deletes a folder, or changes its permissions. */
function isOfFolder({ before, after }: PendingSteps["steps"][number]): boolean {
  return [before, after].every((side) => side === null || "folder" in side);
}

/** True for all changes that nobody has judged. */
function isWhole({ toolCallId, from }: Selection): boolean {
  return toolCallId === undefined && from === undefined;
}
