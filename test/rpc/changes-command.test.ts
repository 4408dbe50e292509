import { execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply, toolCall } from "../support/scripted-replies.ts";
import { AgentUnderTest, BUILT_AGENT } from "../support/spawn-agent.ts";

let model: ScriptedModel;
let agent: AgentUnderTest;

beforeEach(async () => {
  model = await ScriptedModel.start();
  agent = new AgentUnderTest({ modelUrl: model.url, args: [] });
});

afterEach(async () => {
  await agent.dispose();
  await model.stop();
});

/** Runs `tiller` in the directory of the agent. */
function tiller(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = { PATH: process.env.PATH, HOME: agent.agentDir, PI_CODING_AGENT_DIR: agent.agentDir };
  return new Promise((resolve) => {
    execFile(process.execPath, [BUILT_AGENT, ...args], { cwd: agent.cwd, env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}

const read = (name: string) => readFileSync(join(agent.cwd, name), "utf8");

async function run(message: string, command: string): Promise<void> {
  model.enqueue(reply([toolCall("bash", { command })]), reply("Done."));
  await agent.run(message);
}

it("tiller changes lists and shows what the agent changed, and tiller undo undoes it, message by message", async () => {
  writeFileSync(join(agent.cwd, "a.txt"), "one\ntwo\nthree\n");
  await run("First", "sed -i 's/two/TWO/' a.txt");
  await run("Second", "mv a.txt b.txt; echo new > c.txt; chmod +x c.txt");
  expect((await tiller("undo")).stderr).toMatch(/^Error: Session is in use by process \d+/);
  expect((await tiller("undo")).code).toBe(1);
  await agent.end();
  expect(await tiller("changes")).toEqual({
    ...{ code: 0, stderr: "" },
    stdout: "D a.txt (+0 -3)\nA b.txt (+3 -0, was a.txt)\nA c.txt (+1 -0)\n",
  });
  expect((await tiller("changes", "c.txt")).stdout).toContain("+new\n");
  expect(await tiller("undo")).toEqual({
    ...{ code: 0, stderr: "" },
    stdout: "Undone: a.txt\nUndone: b.txt\nUndone: c.txt\n",
  });
  expect([read("a.txt"), existsSync(join(agent.cwd, "b.txt"))]).toEqual(["one\nTWO\nthree\n", false]);
  writeFileSync(join(agent.cwd, "a.txt"), "mine\none\nTWO\nthree\n");
  expect(await tiller("undo", "a.txt")).toMatchObject({
    ...{
      code: 1,
      stdout: "Left alone: a.txt. It was changed since, in other places. --merge undoes the agent's part.\n",
    },
  });
  expect((await tiller("undo", "--all", "--merge")).stdout).toBe("Undone in part: a.txt\n");
  expect(read("a.txt")).toBe("mine\none\ntwo\nthree\n");
  expect((await tiller("changes")).stdout).toBe("No changes by the agent.\n");
});

it.each([
  [["undo", "--wrong"], 2, /^Error: Unknown option '--wrong'. See tiller undo --help\n$/],
  [["changes", "--merge"], 2, /^Error: --all and --merge belong to tiller undo\n$/],
  [["changes", "--session", "nobody"], 1, /^No session found matching 'nobody'\n$/],
  [["changes"], 1, /^No session found in this directory\n$/],
] as const)("tiller %j fails with a reason", async (args, code, reason) => {
  const { stderr, ...result } = await tiller(...args);
  expect(result).toEqual({ code, stdout: "" });
  expect(stderr).toMatch(reason);
});

it("tiller undo --help tells how it is used", async () => {
  expect((await tiller("undo", "--help")).stdout).toMatch(/^Usage: tiller changes/);
});
