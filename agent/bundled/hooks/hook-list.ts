import { relative } from "node:path";
import { toSlashes } from "../../util/paths.ts";
import { visibleLine } from "../../util/visible-text.ts";
import { mayRun } from "./hook-consent.ts";
import type { HooksParts } from "./hooks-parts.ts";
import { type HookGroup, placeOf } from "./read-hooks.ts";

/** Returns all hooks as text for the user: for each file its hooks, and whether they run. */
export function listHooks(groups: readonly HookGroup[], parts: HooksParts): string {
  const filled = groups.filter(({ hooks }) => hooks.length > 0);
  if (filled.length === 0) return "No hooks are set up.";
  return filled.map((group) => [headOf(group, parts), ...linesOf(group)].join("\n")).join("\n\n");
}

function headOf(group: HookGroup, parts: HooksParts): string {
  const { path, scope } = group.source;
  if (scope === "user") return `Your hooks in ${path}: allowed`;
  const standing = mayRun(group, parts) ? "allowed" : "not allowed (/trust)";
  return `The project's hooks in ${visibleLine(toSlashes(relative(parts.cwd, path)))}: ${standing}`;
}

function linesOf({ hooks }: HookGroup): string[] {
  return hooks.map((hook) => `- ${visibleLine(placeOf(hook))}: ${visibleLine(hook.command)}`);
}
