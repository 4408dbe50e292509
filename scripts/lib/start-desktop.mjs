import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { editorSettings } from "./editor-settings.mjs";
import { ROOT, START_FOLDER } from "./paths.mjs";
import { run } from "./processes.mjs";
import { note, step } from "./report.mjs";

/** Opens a folder in the desktop's VS Code, in a profile of its own, with Tiller from this checkout; resolves to the exit code. */
export async function startDesktop(code, folder, env) {
  const profile = join(START_FOLDER, "desktop");
  mkdirSync(join(profile, "User"), { recursive: true });
  const settings = join(profile, "User/settings.json");
  if (!existsSync(settings)) writeFileSync(settings, editorSettings());
  const args = [
    "--new-window",
    "--user-data-dir",
    profile,
    "--extensions-dir",
    join(profile, "extensions"),
    "--disable-workspace-trust",
    `--extensionDevelopmentPath=${ROOT}`,
    `--extensionDevelopmentPath=${join(ROOT, "scripts/starter")}`,
    ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
    folder,
  ];
  await step("Opening VS Code", () => run(code, args, { env }));
  note(`VS Code has Tiller in its side bar, on ${folder}.`);
  return 0;
}
