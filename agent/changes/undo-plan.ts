import type { ChangeSide } from "./change-journal.ts";
import { type ContentStore, hashOf } from "./content-store.ts";
import { type FileContent, keepContent } from "./file-content.ts";
import { isSameSide, type Renaming, type Step } from "./pending.ts";
import { planFile, type Restored } from "./rewind.ts";

/** A file without some changes. */
export interface UndoPlan extends Restored {
  /** True when the file is no longer as the changes left it, or as an earlier undo did. */
  readonly isChangedSince: boolean;
}

interface PlanPorts {
  readonly store: Pick<ContentStore, "get">;
  read(path: string): Promise<FileContent>;
}

/** Steps of one file that are to be undone, the oldest first; `index` is the position of the last one's line. */
export interface Undoing {
  readonly path: string;
  readonly steps: readonly Step[];
  readonly index: number;
}

/** Computes a file without some of its changes, wherever it was renamed to. Writes nothing. */
export async function planUndo(undoing: Undoing, renamings: readonly Renaming[], ports: PlanPorts): Promise<UndoPlan> {
  const { steps } = undoing;
  const last = steps.at(-1);
  const path = last === undefined || last.after === null ? undoing.path : await placeNow(undoing, renamings, ports);
  const plan = await planFile(path, steps.toReversed(), ports);
  const current = await keepContent(plan.current, { put: async (bytes) => hashOf(bytes) });
  return { ...plan, isChangedSince: !isLeftBy(steps, current) };
}

/** True when a file is as these steps left it, those left out that are undone already. */
function isLeftBy(steps: readonly Step[], current: ChangeSide): boolean {
  let side = current;
  for (const { before, after } of steps.toReversed()) {
    if (isSameSide(after, side)) side = before;
    else if (!isSameSide(before, side)) return false;
  }
  return true;
}

/** Follows a file that is gone to where it was renamed. */
async function placeNow(
  { path, index }: Undoing,
  renamings: readonly Renaming[],
  { read }: PlanPorts,
): Promise<string> {
  let [place, at] = [path, index];
  while ((await read(place)) === null) {
    const next = renamings.find((renaming) => renaming.from === place && renaming.index > at);
    if (next === undefined) return path;
    [place, at] = [next.to, next.index];
  }
  return place;
}
