import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AgentUnderTest, BUILT_AGENT } from "../support/spawn-agent.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tiller-command-line-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Surroundings {
  env?: Record<string, string>;
  stdin?: number;
  stdout?: number;
}

/** Runs the built agent in the folder, with an empty input unless another is given. */
function runCli(args: readonly string[], { env = {}, stdin, stdout }: Surroundings = {}) {
  const { status, ...said } = spawnSync(process.execPath, [BUILT_AGENT, ...args], {
    cwd: folder,
    encoding: "utf8",
    stdio: [stdin ?? "pipe", stdout ?? "pipe", "pipe"],
    env: { PATH: process.env.PATH, HOME: join(folder, "home"), ...env },
  });
  return { status, stdout: said.stdout, stderr: said.stderr };
}

describe("a text on the command line", () => {
  it.each(["--system-prompt", "--append-system-prompt"])("can be as long as the system allows: %s", async (flag) => {
    const long = `Be brief${" and kind".repeat(2000)}.`;
    const agent = new AgentUnderTest({ args: ["--no-session", flag, long] });
    expect(await agent.call("get_state")).toMatchObject({ systemPrompt: expect.stringContaining(long) });
    await agent.dispose();
  });

  it.each(["--fork", "--extension", "--hook", "--skill", "--prompt-template", "--add-dir", "--export"])(
    "is refused when it is empty and a path is needed: %s",
    (flag) => {
      expect(runCli(["--mode", "rpc", flag, ""])).toEqual({
        status: 1,
        stdout: "",
        stderr: `Error: ${flag} requires a non-empty value\n`,
      });
    },
  );

  it.each([
    [["--session-dir", ""], {}],
    [[], { PI_CODING_AGENT_SESSION_DIR: "" }],
  ])("puts no sessions into the working folder when it is empty: %j %j", async (args, env) => {
    const agent = new AgentUnderTest({ args: ["--model", "demo/scripted", ...args], env, cwd: folder });
    await agent.call("prompt", { message: "hello" });
    await agent.waitFor((frame) => frame.type === "agent_settled");
    await agent.dispose();
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("the name of a session", () => {
  it("is one line, whichever way it is given", async () => {
    const agent = new AgentUnderTest({ args: ["--no-session", "--name", " Mend\r\nthe door\n"] });
    expect(await agent.call("get_state")).toMatchObject({ sessionName: "Mend the door" });
    await agent.dispose();
    expect(runCli(["--mode", "rpc", "--name", " \n "])).toMatchObject({
      status: 1,
      stderr: "Error: --name requires a non-empty value\n",
    });
  });
});

describe("the home folder", () => {
  it.each(["", "home"])("is never searched for in the working folder: HOME=%j", (home) => {
    expect(
      runCli(["--mode", "rpc"], { env: { HOME: home, PI_CODING_AGENT_DIR: join(tmpdir(), "tiller-no-agent") } }),
    ).toMatchObject({ status: 0, stderr: "" });
    expect(readdirSync(folder)).toEqual([]);
  });

  it("can contain an mcp.json that cannot be read", () => {
    const agentDir = join(folder, "home/.tiller/agent");
    mkdirSync(agentDir, { recursive: true });
    symlinkSync("mcp.json", join(agentDir, "mcp.json"));
    const { status, stdout, stderr } = runCli(["--mode", "rpc"]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toContain('{"type":"ready",');
  });
});

describe("a settings file", () => {
  it("can begin with a byte order mark, as editors on Windows write it", () => {
    const agentDir = join(folder, "home/.tiller/agent");
    mkdirSync(agentDir, { recursive: true });
    writeFileSync(join(agentDir, "settings.json"), "\uFEFF{}");
    expect(runCli(["--mode", "rpc"])).toMatchObject({ status: 0, stderr: "" });
  });
});

describe("a name that matches nothing", () => {
  it("is reported for models, and the other names count", async () => {
    const args = ["--no-session", "--models", "nope, demo/scripted, sonnet-99:high"];
    const agent = new AgentUnderTest({ args });
    expect(await agent.call("get_state")).toMatchObject({ model: { id: "scripted" } });
    expect(agent.stderr).toBe(
      'Warning: No models match pattern "nope"\nWarning: No models match pattern "sonnet-99:high"\n',
    );
    await agent.dispose();
  });

  it("is reported for added workspace folders", () => {
    writeFileSync(join(folder, "a.txt"), "");
    mkdirSync(join(folder, "lib"));
    const args = ["--mode", "rpc", "--add-dir", "gone", "--add-dir", "a.txt", "--add-dir", "lib"];
    expect(runCli(args)).toMatchObject({
      status: 0,
      stderr: `--add-dir: ${join(folder, "gone")} does not exist.\n--add-dir: ${join(folder, "a.txt")} is not a folder.\n`,
    });
  });

  it.each([
    ["gone.ts", "Cannot find module 'PATH'"],
    ["/dev/zero", "it isn't a file (PATH)"],
    ["empty", "there is no extension in this folder (PATH)"],
    ["package", "there is no extension in this folder (PATH)"],
  ])("stops the start when it names an extension: %s", (path, reason) => {
    mkdirSync(join(folder, "empty"));
    mkdirSync(join(folder, "package"));
    writeFileSync(join(folder, "package/package.json"), '\uFEFF{"pi":{"extensions":[]}}');
    expect(runCli(["--mode", "rpc", "-e", path])).toEqual({
      status: 1,
      stdout: "",
      stderr: `Error: Failed to load extension: ${reason.replace("PATH", resolve(folder, path))}\n`,
    });
  });
});

describe("a pipe in place of a user's file", () => {
  it.each(["settings.json", "models.json", "trust.json", "mcp.json", "AGENTS.md"])(
    "does not block the start: %s",
    async (name) => {
      const agentDir = join(folder, "agent");
      mkdirSync(agentDir);
      execFileSync("mkfifo", [join(agentDir, name)]);
      const agent = new AgentUnderTest({ agentDir });
      await agent.call("get_state");
      const { code } = await agent.end();
      expect(code).toBe(0);
      if (name.endsWith("s.json")) expect(agent.stderr).toBe(`Cannot read ${join(agentDir, name)}: it isn't a file\n`);
      await agent.dispose();
    },
  );
});

describe("a message for --mode json", () => {
  it("is pointed out when an unknown option has taken it as its value", () => {
    expect(runCli(["--mode", "json", "--quiet", "What is here?"])).toEqual({
      status: 2,
      stdout: "",
      stderr:
        'Error: --mode json needs a message: tiller --mode json "What is in this folder?"\n' +
        'The unknown option --quiet took "What is here?" as its value. Put -- before the message.\n',
    });
  });
});

describe("standard output", () => {
  it.each([["--version"], ["--help"], ["--list-models"]])("can be closed by its reader: %s", async (flag) => {
    const child = spawn(process.execPath, [BUILT_AGENT, flag], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.destroy();
    const stderr: Buffer[] = [];
    child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
    expect(await once(child, "close")).toEqual([0, null]);
    expect(Buffer.concat(stderr).toString()).toBe("");
  });

  it.each([
    [["--version"], 1],
    [["--mode", "rpc"], 70],
    [["--mode", "json", "--model", "demo/scripted", "hello"], 70],
  ])("on a full disk is reported: %j", (args, code) => {
    const full = openSync("/dev/full", "w");
    const { status, stderr } = runCli(args, { stdout: full });
    closeSync(full);
    expect({ status, stderr }).toEqual({
      status: code,
      stderr: "Error: Couldn't write to standard output: ENOSPC: no space left on device, write\n",
    });
  });
});

describe("standard input", () => {
  it("that cannot be read ends the agent with an explanation", () => {
    const input = openSync(join(folder, "only-for-writing"), "w");
    const { status, stderr } = runCli(["--mode", "rpc"], { stdin: input });
    closeSync(input);
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: "Couldn't read standard input: EBADF: bad file descriptor, read\n",
    });
  });
});

describe("a deleted working folder", () => {
  it.each(["--version", "--help"])("does not matter for %s", (flag) => {
    const script = 'rmdir "$PWD" && exec "$0" "$@"';
    const gone = join(folder, "gone");
    mkdirSync(gone);
    const run = spawnSync("bash", ["-c", script, process.execPath, BUILT_AGENT, flag], { cwd: gone, encoding: "utf8" });
    expect({ status: run.status, stderr: run.stderr }).toEqual({ status: 0, stderr: "" });
    expect(run.stdout).toMatch(/^(tiller )?\d+\.\d+\.\d+/);
  });

  it("stops the start with an explanation", () => {
    const script = 'rmdir "$PWD" && exec "$0" "$@"';
    const gone = join(folder, "gone");
    mkdirSync(gone);
    const args = ["-c", script, process.execPath, BUILT_AGENT, "--mode", "rpc"];
    const { status, stdout, stderr } = spawnSync("bash", args, { cwd: gone, encoding: "utf8" });
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toBe(
      "Error: The current working directory no longer exists. Change to an existing directory and try again.\n",
    );
  });
});
