import type { ContentStore } from "./content-store.ts";
import { type FileContent, findContent, isSameEntry } from "./file-content.ts";
import type { Renaming, Step } from "./pending.ts";
import { planFile, type Restored } from "./rewind.ts";

/** A file without some changes. */
export interface UndoPlan extends Restored {
  /** True when the file is no longer as the last of the changes left it. */
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
  const left = last === undefined ? undefined : await findContent(last.after, ports.store);
  const isChangedSince = left === undefined || !isSameEntry(left, plan.current);
  return { ...plan, isChangedSince };
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
