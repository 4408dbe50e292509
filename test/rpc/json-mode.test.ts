import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agentDirWith } from "../support/extension-files.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { httpError, reply } from "../support/scripted-replies.ts";
import { AgentUnderTest } from "../support/spawn-agent.ts";

let model: ScriptedModel;
const cleanups: (() => unknown)[] = [];

beforeEach(async () => {
  model = await ScriptedModel.start();
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  await model.stop();
});

function start(prompts: readonly string[], extension = ""): AgentUnderTest {
  const { agentDir, remove } = agentDirWith({ "mine.ts": `export default (pi) => { ${extension} };` });
  cleanups.push(remove);
  const args = ["--mode", "json", "-p", "--no-session", ...prompts];
  const agent = new AgentUnderTest({ agentDir, modelUrl: model.url, args });
  cleanups.push(() => agent.dispose());
  return agent;
}

const said = ({ frames }: AgentUnderTest) =>
  frames.filter(({ type }) => type === "message_end").map(({ message }) => JSON.stringify(message).includes('"user"'));

describe("--mode json", () => {
  it("sends each message of the command line, prints the session and the events, and exits", async () => {
    model.enqueue(reply("One"), reply("Two"));
    const agent = start(["first", "second"]);
    expect(await agent.exited).toMatchObject({ code: 0 });
    expect(agent.frames[0]).toMatchObject({ type: "session", version: 3, cwd: agent.cwd });
    const types = agent.frames.map(({ type }) => type);
    expect(types[1]).toBe("agent_start");
    expect(types.at(-1)).toBe("agent_settled");
    expect(types).not.toContain("response");
    expect(types).not.toContain("ready");
    expect(said(agent)).toEqual([true, false, true, false]);
    expect(agent.frames.find(({ type }) => type === "message_update")).not.toHaveProperty("message");
  });

  it("exits with 1 when an answer fails, and sends no further message", async () => {
    model.enqueue(httpError(400, "invalid_request_error", "no"));
    const agent = start(["first", "second"]);
    expect(await agent.exited).toMatchObject({ code: 1 });
    expect(said(agent)).toEqual([true, false]);
  });

  it("exits with 1 and the reason when a message is refused", async () => {
    const refused = new AgentUnderTest({ args: ["--mode", "json", "--no-session", "hello"] });
    cleanups.push(() => refused.dispose());
    expect(await refused.exited).toMatchObject({ code: 1 });
    expect(refused.stderr).toContain("Error: No");
  });

  it("answers questions of extensions with no, and prints notices on stderr", async () => {
    model.enqueue(reply("Hello"));
    const agent = start(
      ["/ask", "hi"],
      `pi.registerCommand("ask", { handler: async (_args, ctx) => ctx.ui.notify("sure: " + (await ctx.ui.confirm("Sure?", "Really?"))) });`,
    );
    expect(await agent.exited).toMatchObject({ code: 0 });
    expect(agent.stderr).toContain("sure: false");
    expect(said(agent)).toEqual([true, false]);
  });

  it("requires a message", async () => {
    const agent = start([]);
    agent.child.stdin.end();
    expect(await agent.exited).toMatchObject({ code: 2 });
    expect(agent.stderr).toContain("--mode json needs a message");
  });
});
