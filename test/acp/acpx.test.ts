import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isRunning } from "../support/process-state.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { gate, reply, text, toolCall } from "../support/scripted-replies.ts";
import { BUILT_AGENT } from "../support/spawn-agent.ts";

/**
 * The command-line client of the protocol, which others have written. It keeps a process of its own for a session. It is installed once for this
 * machine: the lock file of the project can't name its packages for other systems.
 */
const CLIENT = "acpx@0.19.1";
const CLIENT_FOLDER = join(homedir(), ".cache", "tiller-acpx", CLIENT);
const ACPX = join(CLIENT_FOLDER, "node_modules", "acpx", "dist", "cli.js");
const AGENT = `${process.execPath} ${BUILT_AGENT} --mode acp`;

let model: ScriptedModel;
let home: string;
let cwd: string;
const running = new Set<ChildProcess>();

beforeAll(async () => {
  if (!existsSync(ACPX)) {
    await promisify(execFile)("npm", ["install", "--no-audit", "--no-fund", "--prefix", CLIENT_FOLDER, CLIENT]);
  }
  model = await ScriptedModel.start();
  home = mkdtempSync(join(tmpdir(), "tiller-acpx-home-"));
  cwd = realpathSync(mkdtempSync(join(tmpdir(), "tiller-acpx-")));
}, 180_000);

afterAll(async () => {
  await acpx("sessions", "close");
  for (const child of running) child.kill();
  rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  rmSync(cwd, { recursive: true, force: true });
  await model.stop();
});

/** Runs the client. @returns what it printed. @throws Error when it fails. */
function acpx(...args: string[]): Promise<string> {
  const child = spawn(process.execPath, [ACPX, "--agent", AGENT, "--cwd", cwd, "--ttl", "120", ...args], {
    cwd,
    env: { PATH: process.env.PATH, HOME: home, ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: model.url },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => {
    printed += chunk;
  });
  child.stderr.on("data", (chunk: Buffer) => {
    printed += chunk;
  });
  return new Promise((resolve, reject) => {
    child.once("exit", (code) => {
      running.delete(child);
      if (code === 0) resolve(printed);
      else reject(new Error(`acpx ${args.join(" ")} exited with ${code}:\n${printed}`));
    });
  });
}

describe("acpx", () => {
  it("starts a session, sends a prompt, and shows the answer", { timeout: 90_000 }, async () => {
    await acpx("sessions", "new");
    model.enqueue(reply("Hello from Tiller."));
    expect(await acpx("prompt", "hi")).toMatch(/Hello from Tiller\.[\s\S]*end_turn/);
  });

  it("allows and denies tools", { timeout: 90_000 }, async () => {
    model.enqueue(reply([toolCall("bash", { command: "touch allowed && echo it-ran" })]), reply("made"));
    expect(await acpx("--approve-all", "prompt", "make it")).toContain("it-ran");
    expect(existsSync(join(cwd, "allowed"))).toBe(true);
    model.enqueue(reply([toolCall("write", { path: "denied", content: "x" })]), reply("not made"));
    expect(await acpx("--deny-all", "prompt", "make it").catch(String)).toContain("denied");
    expect(existsSync(join(cwd, "denied"))).toBe(false);
  });

  it("switches mode, model, and thinking", { timeout: 90_000 }, async () => {
    expect(await acpx("set-mode", "auto-edit")).toContain("auto-edit");
    expect(await acpx("set", "model", "anthropic/claude-haiku-4-5")).toContain("claude-haiku-4-5");
    expect(await acpx("set", "thinking", "high")).toContain("high");
    model.enqueue(reply([toolCall("write", { path: "unasked", content: "x" })]), reply("done"));
    await acpx("prompt", "write it");
    expect(existsSync(join(cwd, "unasked"))).toBe(true);
    expect(model.requests.at(-1)?.body.model).toBe("claude-haiku-4-5");
  });

  it("cancels a prompt in the middle", { timeout: 90_000 }, async () => {
    const stop = gate();
    model.enqueue(reply([text("It begins"), stop]));
    const prompt = acpx("prompt", "tell me").catch(String);
    await stop.reached.promise;
    await acpx("cancel");
    expect(await prompt).toContain("cancelled");
    stop.release();
  });

  it("resumes the session in another process of the agent", { timeout: 90_000 }, async () => {
    const [, pid = ""] = /^pid: (\d+)$/m.exec(await acpx("status")) ?? [];
    process.kill(Number(pid));
    await expect.poll(() => isRunning(Number(pid))).toBe(false);
    model.enqueue(reply("Still here."));
    const printed = await acpx("prompt", "do you remember?");
    expect(printed).toContain("Still here.");
    expect(printed).toContain("session/resume");
    expect(JSON.stringify(model.requests.at(-1)?.body.messages)).toContain("Hello from Tiller.");
  });
});
