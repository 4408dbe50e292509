import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SandboxPolicy } from "../../agent/sandbox/policy.ts";
import { refusalIn } from "../../agent/sandbox/refusals.ts";
import { Sandbox } from "../../agent/sandbox/sandbox.ts";
import { seatbeltProfile } from "../../agent/sandbox/seatbelt-profile.ts";
import { runShell } from "../../agent/tools/shell.ts";

let folder: string;
let number = 0;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "tiller-seatbelt-test-")));
  for (const name of ["work", "home/.tiller"]) mkdirSync(join(folder, name), { recursive: true });
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const POLICY: SandboxPolicy = {
  ...{ writable: [], readOnly: [], pinned: [], emptied: [], unreadable: [], absent: [] },
  ...{ repositories: [], gitLinks: [] },
};

/** Returns the rules of a profile after those that every profile has, each on a line. */
function rulesOf(policy: Partial<SandboxPolicy>, setting: { isReadOnly?: boolean; proxyPort?: number } = {}): string[] {
  const full = { folder: "/t", isReadOnly: false, proxyPort: undefined, ...setting };
  const [, rules = ""] = seatbeltProfile({ ...POLICY, ...policy }, full).split('(regex #"^/dev/(tty|fd/)"))\n');
  return rules.trim().replaceAll("\n  ", " ").split("\n");
}

describe("a profile of Seatbelt", () => {
  it("denies everything that it doesn't name", () => {
    const profile = seatbeltProfile(POLICY, { folder: "/t", isReadOnly: false, proxyPort: undefined });
    expect(profile.split("\n").slice(0, 2)).toEqual(["(version 1)", "(deny default)"]);
    expect(profile).not.toMatch(/network|allow file-(link|clone)|allow file-write\* \(sub/);
  });

  it("says what a policy says, secrets last", () => {
    const policy = {
      ...{ writable: ["/w"], readOnly: ["/w/.vscode"], pinned: ["/w/.git"], emptied: ["/h/.ssh"] },
      ...{ unreadable: ["/w/a/b/.env"], absent: ["/w/.idea"] },
    };
    expect(rulesOf(policy, { proxyPort: 4711 })).toEqual([
      '(allow file-write* (subpath "/w") (subpath "/t"))',
      '(deny file-write* (subpath "/w/.vscode"))',
      '(deny file-write* (require-all (subpath "/w") (regex #"/[.][iI][dD][eE][aA](/|$)")))',
      '(deny file-write-unlink (literal "/w") (literal "/w/.git") (literal "/w/a/b") (literal "/w/a"))',
      '(deny file-read* file-write* (subpath "/h/.ssh") (subpath "/w/a/b/.env"))',
      '(allow network-outbound (remote ip "localhost:4711"))',
    ]);
  });

  it("lets commands that may only read write nothing but temporary files", () => {
    expect(rulesOf({ writable: ["/w"] }, { isReadOnly: true })).toEqual([
      '(allow file-write* (subpath "/t"))',
      '(deny file-write-unlink (literal "/w"))',
    ]);
  });

  it.each([
    ['/w/a"b', String.raw`"/w/a\"b"`],
    ["/w/a\\b", String.raw`"/w/a\\b"`],
    ["/w/a\\", String.raw`"/w/a\\"`],
    ['/w/") (allow default) ("', String.raw`"/w/\") (allow default) (\""`],
    ["/w/a\nb", String.raw`"/w/a\nb"`],
    ["/w/a;b(c)#d", '"/w/a;b(c)#d"'],
    ["/w/ä $(x)", '"/w/ä $(x)"'],
  ])("keeps a path in its quotes: %j", (path, text) => {
    expect(rulesOf({ unreadable: [path] }).at(-1)).toBe(`(deny file-read* file-write* (subpath ${text}))`);
  });
});

/** Makes a `sandbox-exec` that fails for commands in whose code one of some texts is, and contains nothing else. */
function fakeSeatbelt(...refused: string[]): Sandbox {
  number += 1;
  const sandboxExec = join(folder, `sandbox-exec-${number}`);
  const cases = refused.map((text) => `*'${text}'*) echo 'Operation not permitted' >&2; exit 1;;`).join(" ");
  writeFileSync(sandboxExec, `#!/bin/sh\n[ "$1" = -p ] || exit 2\nshift 2\ncase "$*" in ${cases} esac\nexec "$@"\n`);
  chmodSync(sandboxExec, 0o755);
  return new Sandbox({
    ...{ roots: [join(folder, "work")], home: join(folder, "home"), agentDir: join(folder, "home/.tiller") },
    ...{ caches: [], hidden: [], isSecret: () => false, env: process.env, mayReach: async () => false },
    onTaken: () => undefined,
    system: { platform: "darwin", sandboxExec },
  });
}

const [WRITES, READS, CONNECTS] = ["echo x > outside", "cat work/secret", "/dev/tcp/"];

describe("the sandbox of macOS", () => {
  it("is there when it passes its test, and runs commands with the profile, the proxy, and a folder of their own", async () => {
    const sandbox = fakeSeatbelt(WRITES, READS, CONNECTS);
    expect(await sandbox.problem()).toBeUndefined();
    const contained = await sandbox.contain({ isReadOnly: false });
    let output = "";
    const exit = await runShell({
      ...{
        command: 'pwd; echo "$TMPDIR $HTTPS_PROXY"',
        cwd: join(folder, "work"),
        env: process.env,
        shell: {},
        contained,
      },
      onData: (chunk) => {
        output += String(chunk);
      },
      signal: new AbortController().signal,
    });
    await contained.end();
    expect(exit.exitCode).toBe(0);
    const temporary = realpathSync(contained.folder);
    expect(output.trim()).toMatch(new RegExp(`^${folder}/work\n${temporary} http://127\\.0\\.0\\.1:\\d+$`));
    await sandbox.end();
    expect(existsSync(temporary)).toBe(false);
  });

  it.each([
    ["writing where they may not", [READS, CONNECTS]],
    ["reading secrets", [WRITES, CONNECTS]],
    ["connecting", [WRITES, READS]],
  ])("isn't there when it doesn't keep commands from %s", async (what, refused) => {
    const sandbox = fakeSeatbelt(...refused);
    const reason = `sandbox-exec doesn't pass its test on this Mac: it doesn't keep commands from ${what}.`;
    expect(await sandbox.problem()).toBe(reason);
    await expect(sandbox.contain({ isReadOnly: false })).rejects.toThrow(reason);
  });

  it("isn't there when commands don't run in it, or there is no such program", async () => {
    const reason = "sandbox-exec doesn't pass its test on this Mac: commands don't run in it.";
    expect(await fakeSeatbelt("echo inside").problem()).toBe(reason);
    const system = { platform: "darwin", sandboxExec: join(folder, "missing") } as const;
    const options = { home: join(folder, "home"), agentDir: join(folder, "home/.tiller"), env: process.env };
    const none = new Sandbox({
      ...{ ...options, roots: [join(folder, "work")], caches: [], hidden: [], isSecret: () => false, system },
      ...{ mayReach: undefined, onTaken: () => undefined },
    });
    expect(await none.problem()).toBe(reason);
  });

  it("says what it may have refused, as its answers are all the same", async () => {
    const facts = { hosts: [], hidden: ["/w/.env"], isReadOnly: false };
    const output = "touch: /Users/me/x: Operation not permitted";
    expect(await refusalIn(output, { ...facts, isSeatbelt: true })).toContain("writing outside the workspace");
    expect(await refusalIn("cat: .env: Operation not permitted", { ...facts, isSeatbelt: true })).toContain(
      "reading .env",
    );
    expect(await refusalIn(output, facts)).toBeUndefined();
  });
});

describe("a system without a sandbox", () => {
  it.each([
    ["win32", "there is none for Windows yet"],
    ["freebsd", "there is none for freebsd yet"],
  ] as const)("is told: %s", async (platform, text) => {
    const sandbox = new Sandbox({
      ...{ roots: [join(folder, "work")], home: join(folder, "home"), agentDir: join(folder, "home/.tiller") },
      ...{ caches: [], hidden: [], isSecret: () => false, env: process.env, mayReach: undefined },
      onTaken: () => undefined,
      system: { platform, sandboxExec: "" },
    });
    expect(await sandbox.problem()).toBe(text);
  });
});
