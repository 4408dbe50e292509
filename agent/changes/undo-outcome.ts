import type { UndoneFile } from "../protocol/changes.ts";
import { isSameEntry } from "./file-content.ts";
import type { UndoPlan } from "./undo-plan.ts";

/** Tells what becomes of a file when its changes are undone. */
export function outcomeOf(plan: UndoPlan, merge: boolean): UndoneFile["outcome"] {
  const { conflicts, lost, isChangedSince, restored, current } = plan;
  const isSame = isSameEntry(restored, current);
  if (isSame) return conflicts + lost > 0 ? "refused" : "undone";
  if (lost > 0) return "refused";
  if (conflicts === 0 && !isChangedSince) return "undone";
  return merge ? "merged" : "refused";
}

/** Describes the outcome for a host; nothing for a folder, of which hosts do not hear. */
export function undoneAs(
  plan: UndoPlan,
  { merge, failure }: { merge: boolean; failure: string | undefined },
): UndoneFile[] {
  const { path, current, restored, conflicts } = plan;
  if ([current, restored].every((content) => content === null || "folder" in content)) {
    return failure === undefined ? [] : [{ path, outcome: "refused", code: "failed", reason: failure }];
  }
  if (failure !== undefined) return [{ path, outcome: "refused", code: "failed", reason: failure }];
  const outcome = outcomeOf(plan, merge);
  const more = conflicts > 0 ? { conflicts } : {};
  return [outcome === "refused" ? { path, outcome, ...more, ...reasonOf(plan) } : { path, outcome, ...more }];
}

function reasonOf({ conflicts, lost, current, restored }: UndoPlan): Omit<UndoneFile, "path" | "outcome"> {
  if (lost > 0) {
    const reason = "Its earlier content isn't known: it was too large, or changed before Tiller saw it.";
    return { code: "content_unknown", reason, canMerge: false };
  }
  const canMerge = !isSameEntry(current, restored);
  if (conflicts === 0) return { code: "changed_since", reason: "It was changed since, in other places.", canMerge };
  const places = conflicts === 1 ? "1 place" : `${conflicts} places`;
  return { code: "conflict", reason: `It was changed since, in ${places} that the agent had changed.`, canMerge };
}
