import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { searchablePaths } from "../../../../../extension/host/host-tools/search/searchable-paths.ts";

let parent: string;
let workspace: string;

beforeEach(async () => {
  parent = await realpath(await mkdtemp(join(tmpdir(), "tiller-search-")));
  workspace = join(parent, "workspace");
  await mkdir(join(workspace, "src"), { recursive: true });
  await mkdir(join(parent, "elsewhere"));
  await writeFile(join(workspace, "src/a.ts"), "a");
  await writeFile(join(workspace, "src/.env"), "b");
  await writeFile(join(workspace, "data.sqlite"), "c");
  await writeFile(join(parent, "elsewhere/notes.txt"), "d");
});

afterEach(() => rm(parent, { recursive: true, force: true }));

async function searchable(names: readonly string[], folder = workspace): Promise<string[]> {
  const folders = [{ name: "workspace", path: folder, real: workspace }];
  const paths = names.map((name) => join(folder, name));
  const free = await searchablePaths(paths, { folders, home: parent, denyRead: ["*.sqlite", "~/elsewhere"] });
  return names.filter((_, at) => free.has(paths[at] ?? ""));
}

test("a text search leaves out secrets and denied files", async () => {
  expect(await searchable(["src/a.ts", "src/.env", "data.sqlite"])).toEqual(["src/a.ts"]);
});

test("a text search follows no link to a secret, to a denied file or out of the workspace", async () => {
  await symlink(join(workspace, "src/a.ts"), join(workspace, "again.ts"));
  await symlink(join(workspace, "src/.env"), join(workspace, "settings.txt"));
  await symlink(join(workspace, "data.sqlite"), join(workspace, "data.txt"));
  await symlink(join(parent, "elsewhere"), join(workspace, "docs"), "junction");
  await mkdir(join(parent, "other"));
  await writeFile(join(parent, "other/notes.txt"), "e");
  await symlink(join(parent, "other"), join(workspace, "more"), "junction");
  const names = ["again.ts", "settings.txt", "data.txt", "docs/notes.txt", "more/notes.txt", "gone.txt"];
  expect(await searchable(names)).toEqual(["again.ts"]);
});

test("a text search finds files of a folder that was opened through a link", async () => {
  await symlink(workspace, join(parent, "link"), "junction");
  expect(await searchable(["src/a.ts", "src/.env", "data.sqlite"], join(parent, "link"))).toEqual(["src/a.ts"]);
});
