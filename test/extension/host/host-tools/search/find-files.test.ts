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

describe("files that git ignores", () => {
  it("are left out, unless git has them, and nothing else is", async () => {
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

  it("are those of the folder only, also where the repository is larger or begins further down", async () => {
    const folder = await project({ ".gitignore": "*.log\n", "inner/a.log": "", "inner/b.ts": "", "c.log": "" });
    expect(await ignoredIn(join(folder, "inner"))).toEqual([join(folder, "inner/a.log")]);
    const outer = await realpath(await temporaryFolder());
    expect(await ignoredIn(outer)).toEqual([]);
  });

  it("are none in a folder that a repository around it ignores as a whole", async () => {
    const home = await project({ ".gitignore": "*\n", "work/a.ts": "" });
    expect(await ignoredIn(join(home, "work"))).toEqual([]);
    await mkdir(join(home, "empty"));
    expect(await ignoredIn(join(home, "empty"))).toEqual([]);
  });
});

describe("a glob", () => {
  const api = { name: "api", path: "/work/api" };
  const web = { name: "web", path: "/work/web", real: "/disk/web" };

  it("may begin with the name of one of several folders, as files are named there", () => {
    expect(globPlaces("web/src/**", [api, web])).toEqual([
      { base: "/work/web", glob: "src/**" },
      { glob: "web/src/**" },
    ]);
    expect(globPlaces("**/*.ts", [api, web])).toEqual([{ glob: "**/*.ts" }]);
    expect(globPlaces("api/src/**", [api])).toEqual([{ glob: "api/src/**" }]);
    expect(globPlaces("web/", [api, web])).toEqual([{ glob: "web/" }]);
  });

  it("may be absolute, inside of a folder of the window", () => {
    expect(globPlaces("/work/api/**/*.ts", [api, web])).toEqual([{ base: "/work/api", glob: "**/*.ts" }]);
    expect(globPlaces("/disk/web/*.ts", [api, web])).toEqual([{ base: "/work/web", glob: "*.ts" }]);
    expect(globPlaces("/etc/*", [api, web])).toEqual([{ glob: "/etc/*" }]);
  });
});
