import { execFileSync } from "node:child_process";
import { mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { globPlaces } from "../../../../../extension/host/host-tools/search/glob-places.ts";
import { ignoredIn, wantedBy } from "../../../../../extension/host/host-tools/search/ignored-files.ts";
import { putFiles } from "../../../../support/recorded-workspace.ts";
import { temporaryFolder } from "../../../../support/run-tool.ts";

async function project(files: Record<string, string>): Promise<string> {
  const folder = await realpath(await temporaryFolder());
  await putFiles(folder, files);
  execFileSync("git", ["init", "-q"], { cwd: folder });
  return folder;
}

describe("files that Git ignores", () => {
  it("are left out unless Git tracks them, and all others are kept", async () => {
    const folder = await project({
      ".gitignore": "dist/\n*.log\n",
      "src/a.ts": "",
      "dist/a.js": "",
      "packages/one/dist/deep/b.js": "",
      "run.log": "",
      "kept.log": "",
      "äpfel/dist/c.js": "",
    });
    execFileSync("git", ["add", "-f", "kept.log"], { cwd: folder });
    const names = ["src/a.ts", "dist/a.js", "packages/one/dist/deep/b.js", "run.log", "kept.log", "äpfel/dist/c.js"];
    const paths = names.map((name) => join(folder, name));
    const wanted = (glob: string, ignored: readonly string[]) =>
      wantedBy(glob, paths, ignored).map((path) => path.slice(folder.length + 1));
    const ignored = await ignoredIn(folder);
    expect(wanted("**", ignored)).toEqual(["src/a.ts", "kept.log"]);
    expect(wanted("**/{dist,out}/**", ignored)).toEqual(names.filter((name) => name !== "run.log"));
    expect(wanted("**/run.log", ignored)).toEqual(["src/a.ts", "run.log", "kept.log"]);
  });

  it("are those of the folder only, even when the repository is larger or begins further down", async () => {
    const folder = await project({ ".gitignore": "*.log\n", "inner/a.log": "", "inner/b.ts": "", "c.log": "" });
    expect(await ignoredIn(join(folder, "inner"))).toEqual([join(folder, "inner/a.log")]);
    const outer = await realpath(await temporaryFolder());
    expect(await ignoredIn(outer)).toEqual([]);
  });

  it("are none in a folder that a surrounding repository ignores completely", async () => {
    const home = await project({ ".gitignore": "*\n", "work/a.ts": "" });
    expect(await ignoredIn(join(home, "work"))).toEqual([]);
    await mkdir(join(home, "empty"));
    expect(await ignoredIn(join(home, "empty"))).toEqual([]);
  });
});

describe("a glob", () => {
  const api = { name: "api", path: "/work/api" };
  const web = { name: "web", path: "/work/web", real: "/disk/web" };

  it("can begin with the name of one of several folders, as file names do", () => {
    expect(globPlaces("web/src/**", [api, web])).toEqual([
      { base: "/work/web", glob: "src/**" },
      { glob: "web/src/**" },
    ]);
    expect(globPlaces("**/*.ts", [api, web])).toEqual([{ glob: "**/*.ts" }]);
    expect(globPlaces("api/src/**", [api])).toEqual([{ glob: "api/src/**" }]);
    expect(globPlaces("web/", [api, web])).toEqual([{ glob: "web/" }]);
  });

  it("can be absolute, inside a folder of the window", () => {
    expect(globPlaces("/work/api/**/*.ts", [api, web])).toEqual([{ base: "/work/api", glob: "**/*.ts" }]);
    expect(globPlaces("/disk/web/*.ts", [api, web])).toEqual([{ base: "/work/web", glob: "*.ts" }]);
    expect(globPlaces("/etc/*", [api, web])).toEqual([{ glob: "/etc/*" }]);
  });
});
