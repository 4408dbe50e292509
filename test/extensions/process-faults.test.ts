import { spawn } from "node:child_process";
import { mkdtempSync, openSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agentDirWith, writeFiles } from "../support/extension-files.ts";
import { isRunning } from "../support/process-state.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply } from "../support/scripted-replies.ts";
import { AgentUnderTest, BUILT_AGENT, type Frame } from "../support/spawn-agent.ts";

let model: ScriptedModel;
const cleanups: (() => unknown)[] = [];

beforeEach(async () => {
  model = await ScriptedModel.start();
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  await model.stop();
});

function start(extensions: Record<string, string>): AgentUnderTest {
  const { agentDir, remove } = agentDirWith(extensions);
  cleanups.push(remove);
  const agent = new AgentUnderTest({ agentDir, modelUrl: model.url });
  cleanups.push(() => agent.dispose());
  return agent;
}

/** An extension whose code runs at the beginning of each run. */
const inRun = (body: string, imports = "") =>
  `${imports}\nexport default (pi) => pi.on("agent_start", async (event, ctx) => { ${body} });`;

const errors = (frames: readonly Frame[]) => frames.filter(({ type }) => type === "extension_error");
const notices = (frames: readonly Frame[]) =>
  frames.filter(({ method }) => method === "notify").map(({ message }) => message);

/** Runs once more, which an agent that was harmed could not. */
async function expectGoesOn(agent: AgentUnderTest): Promise<void> {
  model.enqueue(reply("still here"));
  const frames = await agent.run("and now?");
  expect(JSON.stringify(frames)).toContain("still here");
}

describe("an extension that tries to end the process", () => {
  for (const call of [
    "process.exit(3)",
    "process.exit()",
    "process.abort()",
    'process.kill(process.pid, "SIGKILL")',
    "process.kill(process.pid)",
    'process.kill(0, "SIGTERM")',
    '(await import("node:process")).exit(3)',
  ]) {
    it(`gets an error from ${call}, and the user sees it`, async () => {
      const agent = start({ "x.ts": inRun(call) });
      model.enqueue(reply("ok"));
      const frames = await agent.run("go");
      const path = join(agent.agentDir, "extensions/x.ts");
      const [told, thrown] = errors(frames);
      expect(told).toMatchObject({ extensionPath: path, event: expect.stringMatching(/^process\./) });
      expect(thrown).toMatchObject({ extensionPath: path, event: "agent_start", error: told?.error });
      expect(told?.error).toContain("is not for extensions: it would end the agent.");
      await expectGoesOn(agent);
      expect((await agent.end()).code).toBe(0);
    });
  }

  it("gets an error while loading, in a timer and in an imported file, too", async () => {
    const agent = start({
      "load.ts": "process.exit(1); export default () => {};",
      "timer.ts": `export default (pi) => pi.on("session_start", () => { setTimeout(() => process.exit(1), 1); });`,
      "helper/index.ts": `import { end } from "./end"; export default (pi) => pi.on("session_start", () => end());`,
      "helper/end.ts": "export const end = () => process.exit(1);",
    });
    const late = await agent.waitFor(({ event, extensionPath }) => event === "uncaught" && extensionPath !== undefined);
    expect(late.extensionPath).toBe(join(agent.agentDir, "extensions/timer.ts"));
    const paths = errors(agent.frames).map(({ extensionPath, event }) => `${String(extensionPath)} ${String(event)}`);
    const folder = join(agent.agentDir, "extensions");
    expect(paths).toContain(`${folder}/load.ts load`);
    expect(paths).toContain(`${folder}/helper/index.ts process.exit()`);
    await expectGoesOn(agent);
  });

  it("takes its running programs with it when the agent ends", async () => {
    const agent = start({
      "x.ts": `export default (pi) => pi.on("session_start", (_e, ctx) => {
        void pi.exec("sh", ["-c", "sleep 300 & echo $! > pid; wait"]);
        const timer = setInterval(() => { if (fs.existsSync("pid") && fs.readFileSync("pid", "utf8").trim()) { clearInterval(timer); ctx.ui.notify(fs.readFileSync("pid", "utf8")); } }, 10);
      });\nimport fs from "node:fs";`,
    });
    const pid = Number((await agent.waitFor(({ method }) => method === "notify")).message);
    expect(isRunning(pid)).toBe(true);
    expect((await agent.end()).code).toBe(0);
    expect(isRunning(pid)).toBe(false);
  });

  it("can check whether a process is alive, and end others", async () => {
    const agent = start({
      "x.ts": inRun(
        `const child = spawn("sleep", ["60"]);
         const ended = new Promise((resolve) => child.once("exit", (code, signal) => resolve(signal)));
         const isAlive = process.kill(process.pid, 0) && process.kill(child.pid, 0);
         process.kill(child.pid, "SIGTERM");
         ctx.ui.notify(isAlive + " " + await ended);`,
        `import { spawn } from "node:child_process";`,
      ),
    });
    model.enqueue(reply("ok"));
    expect(notices(await agent.run("go"))).toEqual(["true SIGTERM"]);
  });
});

describe("an extension that prints", () => {
  const LOUD = inRun(
    `console.log("P1"); console.table(["P2"]); process.stdout.write("P3\\n"); process.stdout.write(Buffer.from("P4\\n"));
     process.stdout.end("P5\\n");
     new console.Console(process.stdout).log("P6");
     fs.writeSync(1, "P7\\n"); fs.writeFileSync(1, "P8\\n"); await promisify(fs.write)(1, "P9\\n");
     fs.createWriteStream("", { fd: 1, autoClose: false }).write("P10\\n");
     spawnSync("echo", ["P11"], { stdio: "inherit" });
     execSync("echo P12", { stdio: [0, 1, 2] });
     execFileSync("echo", ["P13"], { stdio: ["inherit", "inherit", "inherit"] });
     const ends = [spawn("echo", ["P14"], { stdio: "inherit" }), spawn("echo", ["P15"], { stdio: [0, 1, 2] }),
       spawn("echo", ["P16"], { stdio: ["ignore", process.stdout, "ignore"] }), fork(helper, [], { execArgv: [] })];
     await Promise.all(ends.map((child) => new Promise((resolve) => child.once("exit", resolve))));
     new Worker("console.log('P18'); process.stdout.write('P19\\\\n')", { eval: true, stdout: false }).once("exit", () => ctx.ui.notify("all said"));`,
    `import fs from "node:fs"; import { promisify } from "node:util"; import { Worker } from "node:worker_threads";
     import { execFileSync, execSync, fork, spawn, spawnSync } from "node:child_process";
     import { dirname, join } from "node:path"; import { fileURLToPath } from "node:url";
     const helper = join(dirname(fileURLToPath(import.meta.url)), "forked.cjs");`,
  );

  it("never reaches standard output, whichever way it prints", async () => {
    const agent = start({ "x/index.ts": LOUD, "x/forked.cjs": 'console.log("P17");' });
    model.enqueue(reply("ok"));
    await agent.run("go");
    await agent.waitFor(({ message }) => message === "all said");
    const all = Array.from({ length: 19 }, (_, index) => `P${index + 1}`);
    await agent.until(
      () => (all.every((word) => new RegExp(`${word}\\b`).test(agent.stderr)) ? true : undefined),
      "all that was printed",
    );
    expect(Buffer.concat(agent.stdout).toString()).not.toMatch(/P\d/);
    await expectGoesOn(agent);
  });

  it("never reaches a file that standard output is redirected to", async () => {
    const { agentDir, remove } = agentDirWith({
      "x.ts": `import fs from "node:fs"; import { spawnSync } from "node:child_process";
        export default (pi) => pi.on("session_start", (_e, ctx) => {
          console.log("P1"); fs.writeSync(1, "P2\\n"); spawnSync("echo", ["P3"], { stdio: "inherit" }); ctx.ui.notify("said"); });`,
    });
    cleanups.push(remove);
    const folder = mkdtempSync(join(tmpdir(), "tiller-out-"));
    cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
    const out = join(folder, "out.jsonl");
    const child = spawn(process.execPath, [BUILT_AGENT, "--mode", "rpc", "--no-session"], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, PI_CODING_AGENT_DIR: agentDir },
      stdio: ["pipe", openSync(out, "w"), "ignore"],
    });
    child.stdin?.end('{"type":"prompt","message":"x"}\n');
    expect(await new Promise((resolve) => child.once("exit", resolve))).toBe(0);
    const text = readFileSync(out, "utf8");
    expect(text).toContain('"message":"said"');
    expect(text).not.toMatch(/P\d/);
  });

  it("finds an empty standard input, and so do its child processes", async () => {
    const agent = start({
      "x.ts": `import { spawnSync } from "node:child_process";
        export default (pi) => pi.on("session_start", async (_e, ctx) => {
          let own = ""; for await (const chunk of process.stdin) own += chunk;
          const child = spawnSync("cat", [], { stdio: ["inherit", "pipe", "pipe"] });
          ctx.ui.notify(JSON.stringify([own, String(child.stdout)]));
        });`,
    });
    agent.send({ type: "get_state", id: "early" });
    expect((await agent.waitFor(({ method }) => method === "notify")).message).toBe('["",""]');
    await agent.waitFor(({ id }) => id === "early");
    await expectGoesOn(agent);
  });
});

describe("an extension that changes the process", () => {
  it("cannot move the agent's folder, but its environment variables reach commands", async () => {
    const agent = start({
      "x.ts": `export default () => { process.chdir("/"); process.env.SNEAKED = "in"; process.env.HOME = "/nowhere"; };`,
    });
    writeFiles(agent.cwd, { here: "yes" });
    expect(await agent.call("bash", { command: 'cat here; echo "[$SNEAKED]"' })).toMatchObject({ output: "yes[in]\n" });
  });
});

describe("an extension that floods the host", () => {
  it("with 10,000 notices is shown completely and in order, and the run continues", async () => {
    const agent = start({ "x.ts": inRun(`for (let n = 0; n < 10_000; n++) ctx.ui.notify(String(n));`) });
    model.enqueue(reply("ok"));
    const frames = await agent.run("go");
    expect(notices(frames)).toEqual(Array.from({ length: 10_000 }, (_, n) => String(n)));
    await expectGoesOn(agent);
  });

  it("loses notices when the host reads too slowly, which is reported, and the agent stays small", async () => {
    const total = 150_000;
    const agent = start({
      "x.ts": `export default (pi) => {
        pi.on("agent_start", (_e, ctx) => {
          const before = process.memoryUsage().rss;
          for (let n = 0; n < ${total}; n++) ctx.ui.notify("n".repeat(200));
          globalThis.grown = process.memoryUsage().rss - before;
        });
        pi.on("agent_settled", (_e, ctx) => ctx.ui.notify("grown " + Math.round(globalThis.grown / 1e6)));
      };`,
    });
    model.enqueue(reply("ok"));
    const told = notices(await agent.run("go"));
    const shown = told.filter((message) => String(message).startsWith("nnn")).length;
    const leftOut = told.map((message) => /^(\d+) messages of extensions were left out/.exec(String(message))?.[1]);
    expect(shown + leftOut.reduce((sum, count) => sum + Number(count ?? 0), 0)).toBe(total);
    expect(Number(/^grown (\d+)$/.exec(String(told.at(-1)))?.[1])).toBeLessThan(200);
    await expectGoesOn(agent);
  });
});

describe("an unusual extension file", () => {
  it("that is a circular link, a broken link or a folder in a circle is skipped", async () => {
    const { agentDir, remove } = agentDirWith({ "good.ts": inRun(`ctx.ui.notify("good")`) });
    cleanups.push(remove);
    const folder = join(agentDir, "extensions");
    symlinkSync(join(folder, "self.ts"), join(folder, "self.ts"));
    symlinkSync("self", join(folder, "self"));
    symlinkSync(folder, join(folder, "circle"));
    symlinkSync("nowhere.ts", join(folder, "broken.ts"));
    const agent = new AgentUnderTest({ agentDir, modelUrl: model.url });
    cleanups.push(() => agent.dispose());
    model.enqueue(reply("ok"));
    expect(notices(await agent.run("go"))).toEqual(["good"]);
    const paths = errors(agent.frames).map(({ extensionPath }) => extensionPath);
    expect(paths).toEqual([join(folder, "broken.ts"), join(folder, "self.ts")]);
  });

  it("of five megabytes is loaded anyway", async () => {
    const agent = start({
      "big.ts": `const data: string = ${JSON.stringify("x".repeat(5_000_000))};\n${inRun("ctx.ui.notify(String(data.length))")}`,
    });
    model.enqueue(reply("ok"));
    expect(notices(await agent.run("go"))).toEqual(["5000000"]);
  });
});
