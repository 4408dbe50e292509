import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { AgentNotStarted } from "../../../../agent/client/client-errors.ts";
import { type AgentLaunch, locateAgent } from "../../../../extension/core/connection/locate-agent.ts";

let root: string;
let cli: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "tiller-locate-"));
  cli = join(root, "dist", "agent", "cli.js");
  await mkdir(join(root, "dist", "agent"), { recursive: true });
  await writeFile(cli, "");
});
afterEach(() => rm(root, { recursive: true }));

function launch(changes: Partial<AgentLaunch> = {}): AgentLaunch {
  return {
    commandLine: "",
    extraEnv: {},
    permissionMode: "confirm",
    denyRead: [],
    askForReadOnlyCommands: false,
    titleModel: "",
    isProjectTrusted: true,
    model: "",
    thinkingLevel: "",
    cwd: root,
    folders: [{ name: "work", path: root }],
    extensionPath: root,
    sessionFile: undefined,
    sessionId: "s1",
    isTemporary: false,
    hasTools: true,
    keys: {},
    ripgrepPath: undefined,
    parentEnv: {},
    runtime: "/opt/editor",
    ...changes,
  };
}

const ALWAYS = ["--mode", "rpc", "--rpc-stream", "delta", "--permission-mode", "confirm", "--approve"];

describe("locateAgent", () => {
  test("runs the extension's agent with the editor's runtime when no command is set, on the demo model when there is no key", async () => {
    expect(await locateAgent(launch())).toEqual({
      file: "/opt/editor",
      args: [cli, ...ALWAYS, "--session-id", "s1", "--host-provider", "vscode", "--demo"],
      cwd: root,
      env: { ELECTRON_RUN_AS_NODE: "1" },
    });
  });

  test("names the model for titles to the extension's own agent only", async () => {
    const titleModel = "anthropic/claude-haiku-4-5";
    const { args } = await locateAgent(launch({ titleModel }));
    expect(args.slice(args.indexOf("--title-model"))).toEqual(["--title-model", titleModel]);
    const other = await locateAgent(launch({ titleModel, commandLine: process.execPath }));
    expect(other.args).not.toContain("--title-model");
  });

  test("passes keys to the extension's agent outside its environment, and stored keys come first", async () => {
    const keys = { ANTHROPIC_API_KEY: "sk-1", OPENROUTER_API_KEY: "or-1" };
    const { env, secrets } = await locateAgent(
      launch({ keys, parentEnv: { ANTHROPIC_API_KEY: "sk-0" }, extraEnv: { GROQ_API_KEY: "gr-1", MINE: "1" } }),
    );
    expect(secrets).toEqual({ ...keys, GROQ_API_KEY: "gr-1" });
    expect(env).toEqual({ MINE: "1", ELECTRON_RUN_AS_NODE: "1" });
  });

  test("passes keys to a custom agent in its environment, which all agents support", async () => {
    const keys = { ANTHROPIC_API_KEY: "sk-1" };
    const { env, secrets } = await locateAgent(launch({ keys, commandLine: process.execPath }));
    expect({ env, secrets }).toEqual({ env: keys, secrets: undefined });
  });

  test("tells the model all folders of the window, and which one it works in", async () => {
    const folders = [
      { name: "api", path: "/w/api" },
      { name: "web", path: root },
    ];
    const { args } = await locateAgent(launch({ folders }));
    const told = args[args.indexOf("--append-system-prompt") + 1] ?? "";
    expect(told.split("\n").slice(1, 3)).toEqual(["- api: /w/api", `- web: ${root} (your working directory)`]);
    expect(args.slice(-2)).toEqual(["--add-dir", "/w/api"]);
  });

  test("tells the agent which files no tool may read", async () => {
    const denyRead = ["*.sqlite", "customers/**"];
    const { args } = await locateAgent(launch({ denyRead }));
    expect(args.slice(-4)).toEqual(["--deny-read", "*.sqlite", "--deny-read", "customers/**"]);
  });

  test("gives a temporary session neither file nor id", async () => {
    const { args } = await locateAgent(launch({ isTemporary: true }));
    expect(args).toEqual([cli, ...ALWAYS, "--no-session", "--host-provider", "vscode", "--demo"]);
  });

  test("gives an agent that only writes text no tools", async () => {
    const { args } = await locateAgent(launch({ isTemporary: true, hasTools: false }));
    expect(args).toEqual([cli, ...ALWAYS, "--no-session", "--no-tools", "--host-provider", "vscode", "--demo"]);
  });

  test("sets model and thinking level for new sessions only", async () => {
    const sessionFile = join(root, "session.jsonl");
    const chosen = { model: "anthropic/x", thinkingLevel: "high", sessionFile };
    const fresh = await locateAgent(launch(chosen));
    await writeFile(sessionFile, "");
    const resumed = await locateAgent(launch(chosen));
    expect(fresh.args).toEqual([
      cli,
      ...ALWAYS,
      "--session-id",
      "s1",
      "--model",
      "anthropic/x",
      "--thinking",
      "high",
      "--host-provider",
      "vscode",
      "--demo",
    ]);
    expect(resumed.args).toEqual([cli, ...ALWAYS, "--session", sessionFile, "--host-provider", "vscode", "--demo"]);
  });

  test("tells the agent when the project's own resources are unwanted", async () => {
    const { args } = await locateAgent(launch({ isProjectTrusted: false }));
    expect(args).toContain("--no-approve");
    expect(args).not.toContain("--approve");
  });

  test("passes variables that tools need and the user's additions, and no secrets of others", async () => {
    const parentEnv = {
      PATH: "/bin",
      LC_ALL: "C",
      JAVA_HOME: "/java",
      AWS_SECRET_ACCESS_KEY: "no",
      GITHUB_TOKEN: "no",
      https_proxy: "p",
    };
    const { env } = await locateAgent(launch({ parentEnv, extraEnv: { MINE: "1" }, ripgrepPath: "/rg" }));
    expect(env).toEqual({
      PATH: "/bin",
      LC_ALL: "C",
      JAVA_HOME: "/java",
      https_proxy: "p",
      MINE: "1",
      TILLER_RG_PATH: "/rg",
      ELECTRON_RUN_AS_NODE: "1",
    });
  });

  test("finds a command on the PATH and keeps its own arguments before ours", async () => {
    const ssh = join(root, "ssh");
    await writeFile(ssh, "");
    await chmod(ssh, 0o755);
    const command = await locateAgent(
      launch({ commandLine: "ssh build-box tiller", parentEnv: { PATH: `/nowhere:${root}` } }),
    );
    expect(command).toEqual({
      file: ssh,
      args: ["build-box", "tiller", ...ALWAYS, "--session-id", "s1"],
      cwd: root,
      env: { PATH: `/nowhere:${root}` },
    });
  });

  test("quotes what it adds to an ssh command, since the shell of the other machine reads it", async () => {
    const ssh = join(root, "ssh");
    await writeFile(ssh, "");
    await chmod(ssh, 0o755);
    const folders = ["it's", "$(b)"].map((name) => ({ name, path: join(root, name) }));
    const { args } = await locateAgent(launch({ commandLine: `${ssh} box tiller`, folders }));
    const plain = await locateAgent(launch({ commandLine: process.execPath, folders }));
    const printed = execFileSync("sh", ["-c", `printf '%s\\0' ${args.slice(2).join(" ")}`], { encoding: "utf8" });
    expect(printed.split("\0").slice(0, -1)).toEqual(plain.args);
  });

  test("fails for a missing program with a list of the searched places", async () => {
    const missing = locateAgent(launch({ commandLine: "tiller-x --fast", parentEnv: { PATH: "/a:/b" } }));
    await expect(missing).rejects.toBeInstanceOf(AgentNotStarted);
    await expect(missing).rejects.toThrow(
      'Couldn\'t find the program "tiller-x" from the setting "tiller.agent.command". Tried: /a/tiller-x, /b/tiller-x',
    );
  });

  test("fails for a missing agent of the extension with the file name", async () => {
    await rm(cli);
    await expect(locateAgent(launch())).rejects.toThrow(
      `The bundled agent is missing: ${cli}. Reinstall the extension.`,
    );
  });
});
