import type { Places } from "../places.ts";
import type { Folders } from "./folders.ts";
import { repositoryOf } from "./git-repository.ts";
import type { Assignment, CommandNode } from "./script.ts";
import { variableKind } from "./variables.ts";
import { neverPart, type Part, unjudged } from "./verdict.ts";
import type { ShellWord } from "./words.ts";

/** Returns the folder if there is only one. */
export function onlyOne(folders: Folders): string | undefined {
  return folders !== "unknown" && folders.size === 1 ? [...folders][0] : undefined;
}

/**
 * Returns the folder that `pwd` or `git rev-parse --show-toplevel` prints; undefined for other commands, and if it is
 * unknown.
 */
export function folderShownBy(words: readonly ShellWord[], folders: Folders, places: Places): string | undefined {
  const command = words.map(({ value }) => value).join(" ");
  const folder = onlyOne(folders);
  if (folder === undefined) return undefined;
  if (command === "pwd") return folder;
  const found = command === "git rev-parse --show-toplevel" ? repositoryOf(folder, places) : undefined;
  return found?.kind === "own" ? found.folder : undefined;
}

/** Returns the text of `cat` with a here-document, as a `$(…)` returns it. */
export function textOf(node: CommandNode): string | undefined {
  const [redirect, ...others] = node.redirects;
  const isCat =
    node.type === "simple" &&
    node.words.length === 1 &&
    node.words[0]?.source === "cat" &&
    node.assignments.length === 0;
  return isCat && others.length === 0 && redirect?.kind === "text" ? redirect.text.replace(/\n+$/, "") : undefined;
}

/** Returns a part for an assignment to a variable that a script must not set. */
export function decides(name: string): Part {
  return neverPart(`sets ${name}, which decides what runs`);
}

/** Adds the variables of a command to its judgment. */
export function withAssignments(
  parts: readonly Part[],
  assignments: readonly Assignment[],
  values: readonly (string | undefined)[],
): Part[] {
  const added: (string | undefined)[] = [];
  const deciding: Part[] = [];
  for (const [index, { name }] of assignments.entries()) {
    const value = values[index];
    const kind = variableKind(name, value);
    if (kind === "deciding") deciding.push(decides(name));
    else if (value === undefined) deciding.push(unjudged(`what ${name} is set to is known only when it runs`));
    else if (kind === "plain") added.push(`${name}=${value}`);
  }
  const [first, ...others] = parts;
  if (added.length === 0 || first === undefined) return [...parts, ...deciding];
  const isReading = first.level === "reads" || first.level === "reads-elsewhere";
  return [
    { ...first, level: isReading ? "changes" : first.level, words: [...added, ...first.words] },
    ...others,
    ...deciding,
  ];
}
