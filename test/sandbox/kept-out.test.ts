import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Guard } from "../../agent/sandbox/guard.ts";
import { disarm } from "../../agent/sandbox/kept-out.ts";
import { readPolicy, type SandboxPlaces } from "../../agent/sandbox/policy.ts";
import { Sandbox } from "../../agent/sandbox/sandbox.ts";
import { looksSecret } from "../../agent/util/secret-files.ts";

let folder: string;
let places: SandboxPlaces;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "tiller-kept-out-")));
  for (const name of ["work", "home/.tiller"]) mkdirSync(join(folder, name), { recursive: true });
  const [root, home] = [join(folder, "work"), join(folder, "home")];
  places = { roots: [root], home, agentDir: join(home, ".tiller"), caches: [], hidden: [], isSecret: looksSecret };
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function put(path: string, text: string): void {
  mkdirSync(join(folder, "work", path, ".."), { recursive: true });
  writeFileSync(join(folder, "work", path), text);
}

const run = (script: string) => execFileSync("bash", ["-ec", script], { cwd: join(folder, "work"), stdio: "pipe" });
const git = "git -c user.name=T -c user.email=t@example.com";
const FSMONITOR = "[core]\n\tfsmonitor = touch harm\n";

/** Does something to the workspace as a command would. @returns what is taken away after it, below the workspace. */
async function takenAfter(work: () => unknown): Promise<string[]> {
  const before = await readPolicy(places);
  work();
  const taken = await disarm(before, await readPolicy(places));
  for (const path of taken) expect(existsSync(`${path}.from-sandbox`)).toBe(true);
  return taken.map((path) => path.slice(join(folder, "work/").length)).sort();
}

describe("what a command makes of repositories", () => {
  it("stays if it starts no programs", async () => {
    expect(await takenAfter(() => run(`git init -q a; cd a; ${git} commit -q --allow-empty -m 1`))).toEqual([]);
    expect(await takenAfter(() => run("cd a && git worktree add -q ../b"))).toEqual([]);
    const clone = `cd a && git -c protocol.file.allow=always submodule --quiet add ../a sub/mod`;
    expect(await takenAfter(() => run(clone))).toEqual([]);
  });

  it("is taken away if it has settings or hooks that do", async () => {
    expect(await takenAfter(() => run("git init -q a; git -C a config core.fsmonitor 'touch harm'"))).toEqual([
      "a/.git/config",
    ]);
    expect(await takenAfter(() => run("git init -q b; touch b/.git/hooks/pre-commit"))).toEqual(["b/.git/hooks"]);
    expect(await takenAfter(() => put("a/.git/modules/x/config", FSMONITOR))).toEqual([]);
    put("a/.git/modules/y/HEAD", "ref: x\n");
    expect(await takenAfter(() => put("a/.git/modules/x/HEAD", "ref: x\n"))).toEqual(["a/.git/modules/x/config"]);
  });

  it("is taken away if it leads to such settings elsewhere", async () => {
    put("fake/config", FSMONITOR);
    expect(await takenAfter(() => put("a/.git", "gitdir: ../fake\n"))).toEqual(["a/.git"]);
    expect(await takenAfter(() => symlinkSync("fake", join(folder, "work/.git")))).toEqual([".git"]);
    run("git init -q b");
    expect(await takenAfter(() => put("b/.git/worktrees/w/commondir", "../../../fake\n"))).toEqual([
      "b/.git/worktrees/w/commondir",
    ]);
  });

  it("can't change that of repositories that were there", async () => {
    run(`git init -q a; cd a; ${git} commit -q --allow-empty -m 1; git worktree add -q ../b`);
    put("a/.git/modules/x/HEAD", "");
    put("a/.git/modules/x/config", "");
    const { readOnly, absent, pinned } = await readPolicy(places);
    const at = (path: string) => join(folder, "work", path);
    expect(readOnly).toEqual(
      expect.arrayContaining(
        ["a/.git/config", "a/.git/hooks", "a/.git/worktrees/b/commondir", "a/.git/modules/x/config", "b/.git"].map(at),
      ),
    );
    expect(absent).toEqual(expect.arrayContaining(["a/.git/commondir", "a/.git/config.worktree"].map(at)));
    expect(pinned).toContain(at("a/.git"));
  });
});

describe("the places of a policy", () => {
  it("hide a secret behind a link, and hide a folder as a folder", async () => {
    writeFileSync(join(folder, "home/real-secrets"), "x");
    mkdirSync(join(folder, "home/.netrc"));
    symlinkSync("../home/real-secrets", join(folder, "work/.env"));
    const { unreadable, emptied } = await readPolicy(places);
    expect(unreadable).toContain(join(folder, "home/real-secrets"));
    expect(emptied).toContain(join(folder, "home/.netrc"));
  });

  it("are refused if a link makes the home folder the workspace", async () => {
    symlinkSync("home", join(folder, "link"));
    const env = { PATH: process.env.PATH };
    const options = { ...places, env, mayReach: undefined, onTaken: () => undefined };
    const sandbox = new Sandbox({ ...options, roots: [join(folder, "link")] });
    expect(await sandbox.problem()).toBe(
      `the workspace ${join(folder, "home")} includes your home directory or Tiller's own`,
    );
  });

  it("say what to install", async () => {
    const sandbox = new Sandbox({ ...places, env: { PATH: folder }, mayReach: undefined, onTaken: () => undefined });
    expect(await sandbox.problem()).toBe("bwrap isn't installed. Install the package bubblewrap.");
    await expect(sandbox.contain({ isReadOnly: false })).rejects.toThrow(
      "The sandbox doesn't start: bwrap isn't installed.",
    );
  });
});

describe("a guard", () => {
  it("renames at once what a command makes, and leaves what somebody else makes", async () => {
    const path = join(folder, "work/.idea");
    const [taken, others]: [string[], string[]] = [[], []];
    let isBusy = true;
    const guard = new Guard({
      paths: [path],
      isBusy: () => isBusy,
      onTaken: (paths) => taken.push(...paths),
      onOthers: () => others.push("others"),
    });
    mkdirSync(path);
    await expect.poll(() => taken).toEqual([path]);
    expect(existsSync(path)).toBe(false);
    isBusy = false;
    mkdirSync(path);
    await expect.poll(() => others.length).toBeGreaterThan(0);
    expect(existsSync(path)).toBe(true);
    guard.close();
  });
});
