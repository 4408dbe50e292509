import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agentDirWith } from "../support/extension-files.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply, toolCall } from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord, type Frame } from "../support/spawn-agent.ts";

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
function start(body: string, prompts: Record<string, string> = {}): AgentUnderTest {
  const files = Object.fromEntries(Object.entries(prompts).map(([name, words]) => [`../prompts/${name}`, words]));
  const { agentDir, remove } = agentDirWith({ "mine.ts": `export default (pi) => { ${body} };`, ...files });
  cleanups.push(remove);
  const agent = new AgentUnderTest({ agentDir, modelUrl: model.url, args: [] });
  cleanups.push(() => agent.dispose());
  return agent;
}

const notices = (agent: AgentUnderTest) =>
  agent.frames.filter(({ method }) => method === "notify").map(({ message }) => String(message));

/** The messages and the ends of turns, in order. */
const story = (frames: readonly Frame[]) =>
  frames.flatMap((frame) => {
    if (frame.type === "message_end") return [String(asRecord(frame.message).role)];
    return frame.type === "turn_end" || frame.type === "agent_settled" ? [frame.type] : [];
  });

describe("pi.sendMessage()", () => {
  it("adds a message after the current turn without starting a turn", async () => {
    const agent = start(`pi.on("tool_call", () => {
      pi.sendMessage({ customType: "note", content: "by the way" }, { triggerTurn: false });
      pi.sendMessage({ customType: "note", content: "mind this" }, { deliverAs: "steer" });
    });`);
    model.enqueue(reply([toolCall("read", { path: "a.txt" })]), reply("done"));
    const frames = await agent.run("look");
    expect(story(frames)).toEqual([
      "user",
      "assistant",
      "toolResult",
      "turn_end",
      "custom",
      "custom",
      "assistant",
      "turn_end",
      "agent_settled",
    ]);
    const said = JSON.stringify(model.requests[1]?.body.messages);
    expect(said.indexOf("by the way")).toBeLessThan(said.indexOf("mind this"));
    expect(agent.types()).not.toContain("queue_update");
  });
});

describe("pi.sendUserMessage()", () => {
  it("is shown to input handlers, and runs templates and commands only when asked to", async () => {
    const agent = start(
      `pi.on("input", ({ source, text }, ctx) => {
        ctx.ui.notify(source + " " + text);
        if (text === "take it") return { action: "handled" };
      });
      pi.registerCommand("hello", { handler: (args, ctx) => ctx.ui.notify("hello " + args) });
      pi.registerCommand("say", { handler: (args) => {
        const [expandPromptTemplates, text] = JSON.parse(args);
        pi.sendUserMessage(text, { expandPromptTemplates });
      } });`,
      { "greet.md": "Greet $1 warmly." },
    );
    const say = (...args: [boolean, string]) => agent.call("prompt", { message: `/say ${JSON.stringify(args)}` });
    const requests = async (count: number) => {
      const from = agent.frames.length;
      await agent.settled(from);
      expect(model.requests).toHaveLength(count);
      return JSON.stringify(model.requests.at(-1)?.body.messages);
    };
    model.enqueue(reply("a"), reply("b"));
    const plain = requests(1);
    await say(false, "/greet Ann");
    expect(await plain).toContain("/greet Ann");
    const expanded = requests(2);
    await say(true, "/greet Ann");
    expect(await expanded).toContain("Greet Ann warmly.");
    await say(true, "/hello there");
    // The command does not wait for the extension's message.
    await agent.until(() => (notices(agent).length === 3 ? true : undefined), "three notices");
    await say(false, "take it");
    await agent.until(() => (notices(agent).length === 4 ? true : undefined), "four notices");
    expect(notices(agent)).toEqual([
      "extension /greet Ann",
      "extension /greet Ann",
      "hello there",
      "extension take it",
    ]);
    expect(model.requests).toHaveLength(2);
  });
});

describe("a prompt that an input handler does not decide on in time", () => {
  const SLOW = `
    pi.on("input", ({ text }) => (text === "slow" ? new Promise((resolve) => { globalThis.decide = resolve; }) : undefined));
    pi.registerCommand("decide", { handler: (args) => globalThis.decide(JSON.parse(args)) });`;

  it("is answered once, and runs when it is decided, in its final form", async () => {
    const agent = start(SLOW);
    expect(await agent.call("prompt", { message: "slow" })).toEqual({ disposition: "started" });
    expect(await agent.request("prompt", { message: "another" })).toMatchObject({ success: false, code: "busy" });
    model.enqueue(reply("ok"));
    await agent.call("prompt", { message: `/decide ${JSON.stringify({ action: "transform", text: "changed" })}` });
    await agent.settled();
    expect(JSON.stringify(model.requests[0]?.body.messages)).toContain("changed");
    expect(agent.frames.filter(({ type, id }) => type === "response" && id === "t1")).toHaveLength(1);
  }, 40_000);

  it("is followed by a lone agent_settled when the handler takes it", async () => {
    const agent = start(SLOW);
    await agent.call("prompt", { message: "slow" });
    await agent.call("prompt", { message: `/decide {"action":"handled"}` });
    expect(await agent.settled()).toEqual({ type: "agent_settled", aborted: false });
    expect(model.requests).toHaveLength(0);
    expect(agent.types().filter((type) => type === "agent_settled")).toHaveLength(1);
  }, 40_000);

  it("runs in the new session when it came after the session change", async () => {
    const agent = start(`${SLOW}
      pi.on("session_before_switch", async (_event, ctx) => ({ cancel: !(await ctx.ui.confirm("Leave?", "Now?")) }));`);
    const change = agent.call("new_session");
    const question = await agent.waitFor(({ method }) => method === "confirm");
    const prompt = agent.call("prompt", { message: "slow" });
    agent.send({ type: "extension_ui_response", id: question.id, confirmed: true });
    expect(await change).toEqual({ cancelled: false });
    model.enqueue(reply("ok"));
    await agent.call("prompt", { message: `/decide {"action":"continue"}` });
    expect(await prompt).toEqual({ disposition: "queued" });
    expect(await agent.settled()).toEqual({ type: "agent_settled", aborted: false });
    expect(JSON.stringify(model.requests[0]?.body.messages)).toContain("slow");
  });

  it("ends with abort and with a session change, before either is answered", async () => {
    const ends = ["abort", "new_session"].map(async (command) => {
      const agent = start(SLOW);
      await agent.call("prompt", { message: "slow" });
      await agent.call(command);
      expect(agent.types().slice(-2)).toEqual(["agent_settled", "response"]);
      model.enqueue(reply("fine"));
      const frames = await agent.run("next");
      expect(frames.at(-1)).toEqual({ type: "agent_settled", aborted: false });
      return agent.frames.find(({ type }) => type === "agent_settled");
    });
    const settled = { type: "agent_settled", aborted: true };
    expect(await Promise.all(ends)).toEqual([settled, settled]);
  }, 40_000);
});

describe("ctx.sessionManager", () => {
  it("shows the whole session", async () => {
    const agent = start(`pi.registerCommand("go", { handler: (_args, ctx) => {
      const s = ctx.sessionManager;
      const [first, second] = s.getEntries().filter(({ type }) => type === "message");
      const context = s.buildSessionContext();
      ctx.ui.notify(JSON.stringify([
        s.getLeafEntry().message.role, s.getTree().length, s.getChildren(first.id)[0].id === second.id,
        s.getBranch(first.id).at(-1).id === first.id, s.getSessionFile().startsWith(s.getSessionDir()), s.isPersisted(),
        context.messages.map(({ role }) => role), context.thinkingLevel, context.model.provider,
        s.buildContextEntries().some(({ id }) => id === second.id),
        s.buildSessionProjection().entries.find(({ sourceEntry }) => sourceEntry.id === first.id).messages[0].role,
      ]));
    } });`);
    model.enqueue(reply("ok"));
    await agent.run("hello");
    await agent.call("prompt", { message: "/go" });
    expect(JSON.parse(notices(agent)[0] ?? "")).toEqual([
      "assistant",
      1,
      true,
      true,
      true,
      true,
      ["user", "assistant"],
      "medium",
      "anthropic",
      true,
      "user",
    ]);
  });
});
