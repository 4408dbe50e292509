import type { DangerKind } from "../../protocol/dialogs.ts";

/** Reasons that warn of a danger. What they are about follows after a colon. */
export const WARNINGS = {
  writesOutside: "writes outside the workspace",
  protectedFile: "changes a protected file",
  runsLater: "changes a file that other tools run or follow automatically",
  secretFile: "reads a file that may hold secrets",
  secretDocument: "reads something that may hold secrets",
  destroys: "destroys files",
  forcesPush: "forces a push",
  deletesRemoteBranch: "deletes a branch in another repository",
  otherRights: "runs with different permissions",
  reachesMachine: "connects to another machine",
  changesSystem: "changes the system",
} as const;

const KINDS: ReadonlyMap<string, DangerKind> = new Map([
  [WARNINGS.writesOutside, "outside_workspace"],
  [WARNINGS.protectedFile, "protected_file"],
  [WARNINGS.runsLater, "runs_later"],
  [WARNINGS.secretFile, "reads_secret"],
  [WARNINGS.secretDocument, "reads_secret"],
  [WARNINGS.destroys, "deletes"],
  [WARNINGS.forcesPush, "rewrites_history"],
  [WARNINGS.deletesRemoteBranch, "deletes_branch"],
  [WARNINGS.otherRights, "admin_rights"],
  [WARNINGS.reachesMachine, "reaches_machine"],
  [WARNINGS.changesSystem, "changes_system"],
]);

/** The reason for a command that deletes a folder that matters, `all` for one that empties it. */
export function deletesFolder(name: string, all: boolean): string {
  return all ? `deletes everything in ${name}` : `deletes ${name}`;
}

/** The reason for a call that takes a folder that matters out of its place. */
export function deletesOrMoves(name: string): string {
  return `deletes or moves ${name}`;
}

const DELETES = /^deletes (?:or moves |everything in )?(.+)$/;

/** The reason for a command that prints a variable with a secret. */
export function showsVariable(name: string): string {
  return `shows what ${name} holds`;
}

const SHOWS = /^shows what (\w+) holds$/;

/** Returns the danger that a reason warns of, and what it is about; undefined for any other reason. */
export function dangerOfReason(reason: string): { kind: DangerKind; object: string | undefined } | undefined {
  const colon = reason.indexOf(": ");
  const kind = KINDS.get(colon === -1 ? reason : reason.slice(0, colon));
  if (kind !== undefined) return { kind, object: colon === -1 ? undefined : reason.slice(colon + 2) };
  const variable = SHOWS.exec(reason)?.[1];
  if (variable !== undefined) return { kind: "reads_secret", object: variable };
  const deleted = DELETES.exec(reason)?.[1];
  return deleted === undefined ? undefined : { kind: "deletes", object: deleted };
}
