import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadSessionFile } from "../../agent/session/load.ts";
import { agentDirWith } from "../support/extension-files.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply } from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord } from "../support/spawn-agent.ts";

let model: ScriptedModel;
const cleanups: (() => unknown)[] = [];

beforeEach(async () => {
  model = await ScriptedModel.start();
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  await model.stop();
});

/** An agent, which keeps its sessions, with one extension whose function has this body. */
function start(body: string): AgentUnderTest {
  const { agentDir, remove } = agentDirWith({ "mine.ts": `export default (pi) => { ${body} };` });
  cleanups.push(remove);
  const agent = new AgentUnderTest({ agentDir, modelUrl: model.url, args: [] });
  cleanups.push(() => agent.dispose());
  return agent;
}

/** A command `/go` that does this. */
const go = (body: string) => `pi.registerCommand("go", { handler: async (args, ctx) => { ${body} } });`;
const notices = (agent: AgentUnderTest) =>
  agent.frames.filter(({ method }) => method === "notify").map(({ message }) => String(message));

async function rolesOf(agent: AgentUnderTest): Promise<unknown[]> {
  const { messages } = await agent.call("get_messages");
  return Array.isArray(messages) ? messages.map((message) => asRecord(message).role) : [];
}

describe("another session", () => {
  it("withdraws the questions of the old one", async () => {
    const agent = start(go(`ctx.ui.notify(String(await ctx.ui.input("Well?")));`));
    const answer = agent.call("prompt", { message: "/go" });
    const question = await agent.waitFor(({ method }) => method === "input");
    await agent.call("new_session");
    await answer;
    expect(agent.frames.find(({ method }) => method === "cancel")).toMatchObject({ targetId: question.id });
    expect(notices(agent)).toEqual(["undefined"]);
  });

  it("can keep what the model has seen", async () => {
    const agent = start(`pi.on("session_before_branch", () => ({ skipConversationRestore: true }));`);
    model.enqueue(reply("one"), reply("two"), reply("three"));
    await agent.run("first");
    await agent.run("second");
    const { messages } = await agent.call("get_fork_messages");
    const entryId = Array.isArray(messages) ? asRecord(messages[1]).entryId : undefined;
    await agent.call("branch", { entryId });
    expect(await rolesOf(agent)).toHaveLength(4);
    await agent.run("third");
    expect(JSON.stringify(model.requests[2]?.body.messages)).toContain("second");
    const { sessionFile } = await agent.call("get_state");
    const kept = loadSessionFile(String(sessionFile))?.entries.filter(({ entry }) => entry.type === "message");
    expect(kept).toHaveLength(4);
  });

  it("opened by a handler of a session change does not wait for itself", async () => {
    const agent = start(`pi.on("session_start", async ({ reason }, ctx) => {
        ctx.ui.notify(reason);
        if (reason === "new" && !globalThis.isElsewhere) { globalThis.isElsewhere = true; await ctx.newSession(); }
      });`);
    expect(await agent.call("new_session")).toEqual({ cancelled: false });
    expect(notices(agent)).toEqual(["startup", "new", "new"]);
  });

  it("releases input that a handler has not decided on", async () => {
    const agent = start(`pi.on("input", (event, ctx) => {
      ctx.ui.notify(event.text);
      if (event.text === "hang") return new Promise(() => {});
    });`);
    const steer = agent.request("steer", { message: "hang" });
    await agent.waitFor(({ message }) => message === "hang");
    await agent.call("new_session");
    expect(await steer).toMatchObject({ success: false, code: "aborted" });
    model.enqueue(reply("ok"));
    await agent.run("next");
    expect(agent.types().filter((type) => type === "agent_settled")).toHaveLength(1);
  });
});
