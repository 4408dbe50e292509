import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Lists the existing files of a project in which other agents keep hooks. */
export function findHookFiles(cwd: string): string[] {
  const settings = ["settings.json", "settings.local.json"].map((name) => join(cwd, ".claude", name));
  const folder = join(cwd, ".github", "hooks");
  const names = filesOf(folder).filter((name) => name.endsWith(".json"));
  return [...settings.filter((path) => existsSync(path)), ...names.toSorted().map((name) => join(folder, name))];
}

function filesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // missing, or nobody may read it
  }
}
