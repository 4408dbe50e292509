import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agentDirWith } from "../support/extension-files.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply } from "../support/scripted-replies.ts";
import { AgentUnderTest, type Frame } from "../support/spawn-agent.ts";

let model: ScriptedModel;
const cleanups: (() => unknown)[] = [];

beforeEach(async () => {
  model = await ScriptedModel.start();
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  await model.stop();
});

/** An agent with an extension for each body of a `user_bash` handler, in this order. */
function start(...bodies: string[]): AgentUnderTest {
  const files = bodies.map((body, index) => [
    `${index}.ts`,
    `export default (pi) => pi.on("user_bash", async (event, ctx) => { ${body} });`,
  ]);
  const { agentDir, remove } = agentDirWith(Object.fromEntries(files));
  cleanups.push(remove);
  const agent = new AgentUnderTest({ agentDir, modelUrl: model.url });
  cleanups.push(() => agent.dispose());
  return agent;
}

const deltas = (frames: readonly Frame[]) =>
  frames.filter(({ type }) => type === "bash_execution_update").map(({ delta }) => delta);
const errors = (frames: readonly Frame[]) => frames.filter(({ type }) => type === "extension_error");

describe("user_bash handlers", () => {
  it("see the command, and the shell runs it when they return nothing", async () => {
    const agent = start(`ctx.ui.notify(JSON.stringify(event));`);
    expect(await agent.call("bash", { command: "echo here", excludeFromContext: true })).toMatchObject({
      output: "here\n",
      exitCode: 0,
    });
    const told = agent.frames.find(({ method }) => method === "notify");
    expect(JSON.parse(String(told?.message))).toEqual({
      type: "user_bash",
      command: "echo here",
      excludeFromContext: true,
      cwd: agent.cwd,
    });
  });

  it("can supply the result; the first one wins, and the model sees it", async () => {
    const agent = start(
      `return { result: { output: "brought\\u001b[1m in", exitCode: 3, cancelled: false, truncated: true } };`,
      `ctx.ui.notify("not asked");`,
    );
    expect(await agent.call("bash", { command: "echo here" })).toEqual({
      output: "brought in",
      exitCode: 3,
      cancelled: false,
      truncated: true,
      totalLines: 1,
      totalBytes: 10,
      outputLines: 1,
      outputBytes: 10,
    });
    expect(agent.frames.some(({ message }) => message === "not asked")).toBe(false);
    model.enqueue(reply("ok"));
    await agent.run("go");
    expect(JSON.stringify(model.requests[0]?.body.messages)).toContain("brought in");
  });

  it("can run the command elsewhere, with updates", async () => {
    const agent = start(`return { operations: { async exec(command, cwd, { onData, signal, timeout, env }) {
      onData(Buffer.from("far: " + command));
      onData(Buffer.from("\\n" + [cwd === ctx.cwd, signal.aborted, timeout, typeof env.PATH].join(" ")));
      return { exitCode: 7 };
    } } };`);
    const result = await agent.call("bash", { command: "make", timeout: 5 });
    expect(result).toMatchObject({ output: "far: make\ntrue false 5 string", exitCode: 7, cancelled: false });
    expect(deltas(agent.frames).join("")).toBe("far: make\ntrue false 5 string");
  });

  it("that run commands elsewhere are ended by abort_bash, even when they ignore it", async () => {
    for (const body of [
      `signal.addEventListener("abort", () => resolve({ exitCode: null }));`,
      `signal.addEventListener("abort", () => reject(new Error("cut")));`,
      "",
    ]) {
      const agent =
        start(`return { operations: { exec: (command, cwd, { onData, signal }) => new Promise((resolve, reject) => {
        onData(Buffer.from("begun")); ${body} }) } };`);
      const done = agent.call("bash", { command: "make" });
      await agent.waitFor(({ type }) => type === "bash_execution_update");
      await agent.call("abort_bash");
      expect(await done).toMatchObject({ output: "begun", cancelled: true });
    }
  });

  it("that run commands elsewhere respect the time limit", async () => {
    const agent = start(`return { operations: { exec: () => new Promise(() => {}) } };`);
    const result = await agent.call("bash", { command: "make", timeout: 0.05 });
    expect(result).toMatchObject({ output: "", cancelled: false });
    expect(result).not.toHaveProperty("exitCode");
  });

  it("that hang are released by abort_bash and by abort, and the command does not run", async () => {
    for (const release of ["abort_bash", "abort"]) {
      const agent = start(`ctx.ui.notify("stuck"); return new Promise(() => {});`);
      const done = agent.call("bash", { command: "echo here" });
      await agent.waitFor(({ method }) => method === "notify");
      await agent.call(release);
      expect(await done).toMatchObject({ output: "", cancelled: true });
    }
  });

  it("that throw or return an invalid value stop the command and are reported", async () => {
    for (const [body, text] of [
      [`throw new Error("no luck");`, "no luck"],
      [`return { output: "x" };`, "neither { result } nor { operations }"],
      [`return { result: { output: "x" }, operations: { exec() {} } };`, "neither { result } nor { operations }"],
      [`return { operations: { exec: async () => { throw new Error("no line"); } } };`, "no line"],
    ] satisfies [string, string][]) {
      const agent = start(body, `ctx.ui.notify("not asked");`);
      const response = await agent.request("bash", { command: "echo here > file" });
      expect(response.success).toBe(false);
      expect(response.error).toContain(text);
      expect(errors(agent.frames)).toMatchObject([{ event: "user_bash" }]);
      expect(agent.frames.some(({ message }) => message === "not asked")).toBe(false);
      expect(await agent.call("get_state")).toMatchObject({ isStreaming: false });
    }
  });

  it("can return output of any size; its end is kept", async () => {
    const agent = start(`return { result: { output: "x\\n".repeat(100_000) + "end", exitCode: 0 } };`);
    const result = await agent.call("bash", { command: "make" });
    expect(result).toMatchObject({ truncated: true, totalLines: 100_001, outputLines: 2000 });
    expect(String(result.output).endsWith("end")).toBe(true);
  });
});
