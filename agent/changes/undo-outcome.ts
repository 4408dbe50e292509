import type { UndoneFile } from "../protocol/changes.ts";
import { isSameEntry } from "./file-content.ts";
import type { PendingSteps, Renaming } from "./pending.ts";
import type { UndoPlan } from "./undo-plan.ts";

/** Why the changes of a file are not undone. */
export type Refusal = Omit<UndoneFile, "path" | "outcome">;

/**
 * Returns why files are left alone, by path. A renamed file goes only when its earlier path comes back: otherwise its content would be nowhere.
 */
export function refusedOf(
  plans: readonly (readonly [PendingSteps, UndoPlan])[],
  renamings: readonly Renaming[],
  merge: boolean,
): ReadonlyMap<string, Refusal> {
  const refusals = new Map<string, Refusal>();
  const planOf = new Map(plans.map(([{ path }, plan]) => [path, plan]));
  const stepsOf = new Map(plans.map(([file]) => [file.path, file]));
  for (const [path, plan] of planOf) if (isRefused(plan, merge)) refusals.set(path, reasonOf(plan));
  const places = new Map<string, string>();
  for (const [path, plan] of planOf) {
    const other = places.get(plan.path);
    places.set(plan.path, path);
    if (other === undefined) continue;
    const reason = `Changes of ${other} and ${path} would both be undone in ${plan.path}.`;
    for (const one of [other, path]) refusals.set(one, { code: "conflict", reason, canMerge: false });
  }
  const broken = new Set(refusals.keys());
  for (let before = -1; before !== broken.size; ) {
    before = broken.size;
    for (const renaming of renamings) {
      const { leaving, from, to } = renaming;
      const made = planOf.get(to);
      if (made === undefined || broken.has(to) || !isAmong(renaming, stepsOf.get(to))) continue;
      const isUndone = stepsOf.get(from)?.steps.includes(leaving) === true;
      if (isUndone && planOf.get(from)?.conflicts === 0 && !broken.has(from)) continue;
      broken.add(to);
      if (isSameEntry(made.restored, made.current)) continue;
      refusals.set(to, { code: "conflict", reason: `It was ${from}, which can't be restored.`, canMerge: false });
    }
  }
  return refusals;
}

/** True when undoing some changes of a file takes a renamed file away from it. */
function isAmong({ arriving, index }: Renaming, file: PendingSteps | undefined): boolean {
  if (file === undefined) return false;
  const hasRest = file.steps.some(({ toolCallId }) => toolCallId === undefined);
  return file.steps.includes(arriving) || (hasRest && index >= file.firstIndex);
}

/** Describes the outcome for a host; nothing for a folder, of which hosts do not hear unless it fails. */
export function undoneAs(
  plan: UndoPlan,
  outcome: { readonly failure: string | undefined; readonly refusal: Refusal | undefined; readonly merge: boolean },
): UndoneFile[] {
  const { path, current, restored, conflicts, isChangedSince } = plan;
  const more = conflicts > 0 ? { conflicts } : {};
  if (outcome.failure !== undefined) return [{ path, outcome: "refused", code: "failed", reason: outcome.failure }];
  const isOfFolder = [current, restored].every((content) => content === null || "folder" in content);
  if (isOfFolder) return [];
  if (outcome.refusal !== undefined) return [{ path, outcome: "refused", ...more, ...outcome.refusal }];
  const isMerged = outcome.merge && (conflicts > 0 || isChangedSince) && !isSameEntry(current, restored);
  return [{ path, outcome: isMerged ? "merged" : "undone", ...more }];
}

function isRefused({ conflicts, lost, isChangedSince, restored, current }: UndoPlan, merge: boolean): boolean {
  if (lost > 0) return true;
  if (isSameEntry(restored, current)) return conflicts > 0;
  return !merge && (conflicts > 0 || isChangedSince);
}

function reasonOf({ conflicts, lost, current, restored }: UndoPlan): Refusal {
  if (lost > 0) {
    const reason = "Its earlier content isn't known: it was too large, or changed before Tiller saw it.";
    return { code: "content_unknown", reason, canMerge: false };
  }
  const canMerge = !isSameEntry(current, restored);
  if (conflicts === 0) return { code: "changed_since", reason: "It was changed since, in other places.", canMerge };
  const places = conflicts === 1 ? "1 place" : `${conflicts} places`;
  return { code: "conflict", reason: `It was changed since, in ${places} that the agent had changed.`, canMerge };
}
