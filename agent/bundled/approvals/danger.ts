import type { Danger } from "../../protocol/dialogs.ts";
import { visibleLine } from "../../util/visible-text.ts";

/** Reasons that say what people want to be warned of; the group is the object. */
const DANGEROUS_REASONS: readonly [RegExp, Danger["kind"]][] = [
  [/^writes outside the workspace: (.+)$/, "outside_workspace"],
  [/^changes a protected file: (.+)$/, "protected_file"],
  [/^changes a file that other tools run or follow automatically: (.+)$/, "runs_later"],
  [/^reads (?:a file|something) that may hold secrets: (.+)$/, "reads_secret"],
  [/^shows what (\w+) holds$/, "reads_secret"],
  [/^destroys files$/, "deletes"],
  [/^forces a push$/, "rewrites_history"],
  [/^deletes a branch in another repository$/, "deletes_branch"],
  [/^deletes (?:or moves |everything in )?(.+)$/, "deletes"],
  [/^runs with different permissions$/, "admin_rights"],
  [/^connects to another machine$/, "reaches_machine"],
  [/^changes the system$/, "changes_system"],
];
const MAX_OBJECTS = 4;
const MAX_OBJECT_LENGTH = 100;

/**
 * Returns the dangers of a call as its question shows them: each once, with objects that are short and on one line, and "…" for further ones.
 * @param areReasonsShown true if the question has every reason, so that a host can leave out those that a danger says.
 */
export function shownDangers(found: readonly Danger[], reasons: readonly string[], areReasonsShown: boolean): Danger[] {
  const all = [...found.map(({ kind, object }) => toDanger(kind, object)), ...reasons.flatMap(dangerIn)];
  const kinds = [...new Set(all.map(({ kind }) => kind))];
  return kinds.flatMap((kind) => {
    const own = all.filter((danger) => danger.kind === kind);
    const objects = [...new Set(own.flatMap(({ object }) => object ?? []))];
    const said = areReasonsShown ? own.flatMap(({ reason }) => reason ?? []) : [];
    const shown = objects.length > MAX_OBJECTS ? [...objects.slice(0, MAX_OBJECTS), "…"] : objects;
    const named: Danger[] = shown.length === 0 ? [{ kind }] : shown.map((object) => ({ kind, object }));
    return [...named, ...said.map((reason) => ({ kind, reason }))];
  });
}

function dangerIn(reason: string): Danger[] {
  for (const [pattern, kind] of DANGEROUS_REASONS) {
    const match = pattern.exec(reason);
    if (match !== null) return [{ ...toDanger(kind, match[1]), reason }];
  }
  return [];
}

function toDanger(kind: Danger["kind"], object: string | undefined): Danger {
  const plain = visibleLine(object ?? "").trim();
  if (plain === "") return { kind };
  return { kind, object: plain.length > MAX_OBJECT_LENGTH ? `${plain.slice(0, MAX_OBJECT_LENGTH)}…` : plain };
}
