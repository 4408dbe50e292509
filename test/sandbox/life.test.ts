import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SandboxPlaces } from "../../agent/sandbox/policy.ts";
import { Sandbox } from "../../agent/sandbox/sandbox.ts";
import type { Containment } from "../../agent/tools/contained.ts";
import { looksSecret } from "../../agent/util/secret-files.ts";

const WRITING: Containment = { isReadOnly: false };
const READING: Containment = { isReadOnly: true };

let folder: string;
let work: string;
let taken: string[];
let sandbox: Sandbox;
/** The folders for temporary files that commands had. */
let temporary: Set<string>;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "tiller-life-")));
  work = join(folder, "work");
  for (const name of ["work", "home/.tiller"]) mkdirSync(join(folder, name), { recursive: true });
  taken = [];
  temporary = new Set();
  sandbox = new Sandbox({
    ...places(),
    env: process.env,
    mayReach: async () => true,
    onTaken: (paths) => taken.push(...paths),
  });
});

afterEach(async () => {
  await sandbox.end();
  rmSync(folder, { recursive: true, force: true });
});

function places(): SandboxPlaces {
  const home = join(folder, "home");
  return { roots: [work], home, agentDir: join(home, ".tiller"), caches: [], hidden: [], isSecret: looksSecret };
}

/** Runs a command in the sandbox. @returns what it printed; rejects if it fails, or its end does. */
async function run(script: string, containment = WRITING, env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const contained = await sandbox.contain(containment);
  temporary.add(contained.folder);
  const program = contained.enter({ shellPath: "/bin/bash", script }, work, env);
  try {
    return (await promisify(execFile)(program.file, program.args, { env: program.env, cwd: "/" })).stdout.trim();
  } finally {
    await contained.end();
  }
}

const holders = () =>
  execFileSync("sh", ["-c", `ps ax -o args | grep '[b]wrap' | grep -c '${work}' || true`], { encoding: "utf8" }).trim();

describe("a command that may only read", () => {
  it("writes nothing but temporary files", async () => {
    writeFileSync(join(work, "a.txt"), "one\n");
    await expect(run("echo two > a.txt", READING)).rejects.toThrow("Read-only file system");
    await expect(run("touch b.txt", READING)).rejects.toThrow("Read-only file system");
    await expect(run("mkdir .idea", READING)).rejects.toThrow("Read-only file system");
    expect(await run("echo three > /tmp/c.txt; cat a.txt /tmp/c.txt", READING)).toBe("one\nthree");
    expect(readdirSync(work)).toEqual(["a.txt"]);
  });

  it("sees no secrets", async () => {
    writeFileSync(join(work, ".env"), "TOKEN=planted\n");
    await expect(run("cat .env", READING)).rejects.toThrow("Permission denied");
    mkdirSync(join(folder, "home/.ssh"));
    writeFileSync(join(folder, "home/.ssh/id_rsa"), "planted\n");
    await new Promise((resolve) => setTimeout(resolve, 1100)); // the last look at the disk counts for a second
    await expect(run(`cat ${join(folder, "home/.ssh/id_rsa")}`, READING)).rejects.toThrow("No such file");
  });

  it("reaches no host, and has no proxy", async () => {
    expect(await run('echo "<$HTTPS_PROXY>"; grep -c : /proc/net/dev', READING)).toBe("<>\n1"); // its own loopback
  });

  it("leaves alone what somebody else makes meanwhile", async () => {
    const contained = await sandbox.contain(READING);
    mkdirSync(join(work, ".idea"));
    expect(await contained.end()).toEqual([]);
    await run("true", READING);
    expect(existsSync(join(work, ".idea"))).toBe(true);
    expect(taken).toEqual([]);
  });

  it("is told apart from one that may write, in either order", async () => {
    await run("touch one", WRITING);
    await expect(run("touch two", READING)).rejects.toThrow("Read-only file system");
    await run("touch three", WRITING);
    expect(readdirSync(work).sort()).toEqual(["one", "three"]);
  });
});

describe("the end of a sandbox", () => {
  it("leaves no process and no folder, also if a command is on its way in", async () => {
    await run("true");
    const late = sandbox.contain(WRITING);
    await sandbox.end();
    temporary.add((await late).folder);
    await sandbox.end();
    await expect.poll(holders).toBe("0");
    expect([...temporary].filter((one) => existsSync(one))).toEqual([]);
  });

  it("leaves no listener behind, however many sessions there are", async () => {
    await run("true");
    const before = process.listenerCount("exit");
    for (let number = 0; number < 3; number += 1) {
      await sandbox.end();
      await run("true");
    }
    expect(process.listenerCount("exit")).toBe(before);
  });
});

describe("commands at the same time", () => {
  it("share one sandbox and one folder", async () => {
    await run("true");
    const before = holders();
    const all = await Promise.all(
      [1, 2, 3, 4].map((number) => run(`touch /tmp/${number}; sleep 0.3; ls /tmp | grep -c '^[1-4]$'`)),
    );
    expect(new Set(all)).toEqual(new Set(["4"]));
    expect(holders()).toBe(before);
    expect(temporary.size).toBe(1);
  });

  it("all run when the workspace changes between them", async () => {
    const ran = Array.from({ length: 6 }, async (_, number) => {
      mkdirSync(join(work, `module-${number}`));
      execFileSync("git", ["init", "-q", join(work, `module-${number}`)]);
      return run("sleep 0.1; echo done");
    });
    expect(await Promise.all(ran)).toEqual(Array(6).fill("done"));
  });
});

describe("what a command makes where it may not", () => {
  const FILL = "for i in '' $(seq -f '-%.0f' 2 100); do mkdir .idea.from-sandbox$i; done; mkdir .idea";

  it("is no way to hide what it makes elsewhere", async () => {
    const arm = "git init -q sub; git -C sub config core.fsmonitor 'touch harm'";
    await expect(run(`${FILL}; ${arm}`)).rejects.toThrow("there is no free name beside it. Remove it.");
    await expect.poll(() => existsSync(join(work, "sub/.git/config.from-sandbox"))).toBe(true);
    expect(existsSync(join(work, "sub/.git/config"))).toBe(false);
  });

  it("holds up commands only until the user has removed it", async () => {
    await run(
      "git init -q sub; cd sub/.git; for i in '' $(seq -f '-%.0f' 2 100); do mkdir config.from-sandbox$i; done; git config core.fsmonitor x",
    );
    await expect(sandbox.contain(WRITING)).rejects.toThrow("there is no free name beside it");
    await expect(sandbox.contain(WRITING)).rejects.toThrow("there is no free name beside it");
    rmSync(join(work, "sub"), { recursive: true });
    expect(await run("echo on")).toBe("on");
  });

  it("is taken away in a folder that wasn't there", async () => {
    await run("mkdir -p .github/hooks; touch .github/hooks/run .github/keep || true");
    expect(readdirSync(join(work, ".github")).sort()).toEqual(["hooks.from-sandbox", "keep"]);
    expect(taken).toEqual([join(work, ".github/hooks")]);
  });
});

describe("settings of Git in the environment", () => {
  const settings = (value: string) => ({
    ...process.env,
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "tiller.test",
    GIT_CONFIG_VALUE_0: value,
  });

  it("reach a command, but not with a secret", async () => {
    expect(await run("git config tiller.test", WRITING, settings("Ann"))).toBe("Ann");
    const secret = settings("Authorization: Basic cGxhbnRlZDpwbGFudGVk");
    expect(await run("git config tiller.test || echo none; env | grep -c GIT_CONFIG || true", WRITING, secret)).toBe(
      "none\n0",
    );
  });
});
