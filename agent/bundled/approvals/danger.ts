import type { Danger } from "../../protocol/dialogs.ts";
import { visibleLine } from "../../util/visible-text.ts";
import { dangerOfReason } from "./warnings.ts";

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
  const found = dangerOfReason(reason);
  return found === undefined ? [] : [{ ...toDanger(found.kind, found.object), reason }];
}

function toDanger(kind: Danger["kind"], object: string | undefined): Danger {
  const plain = visibleLine(object ?? "").trim();
  if (plain === "") return { kind };
  return { kind, object: plain.length > MAX_OBJECT_LENGTH ? `${plain.slice(0, MAX_OBJECT_LENGTH)}…` : plain };
}
