import { hookSubject } from "./hook-subject.ts";
import type { HooksParts } from "./hooks-parts.ts";
import type { HookGroup } from "./read-hooks.ts";

/** True when these hooks may run as they are now. The user is asked about those of the project. */
export function mayRun({ source, hooks }: HookGroup, { cwd, consents }: HooksParts): boolean {
  return source.scope === "user" || consents.mayRun(hookSubject(source, hooks, cwd));
}
