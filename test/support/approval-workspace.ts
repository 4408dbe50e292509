import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Places } from "../../agent/bundled/approvals/places.ts";

/** A workspace with links out of it, a home folder and a folder for temporary files, all in one new folder. */
export interface ApprovalWorkspace {
  root: string;
  cwd: string;
  home: string;
  agentDir: string;
  places: Places;
  remove(): void;
}

/** Makes the folders that the tables in test/fixtures/approvals tell of. */
export function approvalWorkspace(): ApprovalWorkspace {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "tiller-approvals-")));
  const cwd = join(root, "ws");
  const home = join(root, "home");
  const agentDir = join(home, ".tiller", "agent");
  for (const folder of [join(cwd, "src"), join(cwd, ".git"), agentDir, join(root, "other"), join(root, "tmp")]) {
    mkdirSync(folder, { recursive: true });
  }
  symlinkSync(join(root, "other"), join(cwd, "out"));
  symlinkSync(join(root, "other", "new.txt"), join(cwd, "dangling"));
  writeFileSync(join(cwd, "package.json"), "{}");
  writeFileSync(join(cwd, "src", "a.ts"), "");
  const places = new Places({ cwd, agentDir, home, temporary: [join(root, "tmp")] });
  return { root, cwd, home, agentDir, places, remove: () => rmSync(root, { recursive: true, force: true }) };
}
