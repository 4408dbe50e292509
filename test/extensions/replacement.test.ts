import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agentDirWith } from "../support/extension-files.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { gate, reply, text } from "../support/scripted-replies.ts";
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

/** An agent, which keeps its sessions, with one extension whose function has this body. */
function start(body: string, args: readonly string[] = []): AgentUnderTest {
  const { agentDir, remove } = agentDirWith({ "mine.ts": `export default (pi) => { ${body} };` });
  cleanups.push(remove);
  const agent = new AgentUnderTest({ agentDir, modelUrl: model.url, args });
  cleanups.push(() => agent.dispose());
  return agent;
}

const notices = (agent: AgentUnderTest) =>
  agent.frames.filter(({ method }) => method === "notify").map(({ message }) => message);

const TELL = `for (const type of ["session_shutdown", "session_switch", "session_fork", "session_start"])
  pi.on(type, (event, ctx) => ctx.ui.notify([event.type, event.reason, typeof event.previousSessionFile].join(" ")));`;

async function firstEntryId(agent: AgentUnderTest): Promise<unknown> {
  model.enqueue(reply("ok"));
  await agent.run("hello");
  const { messages } = await agent.call("get_fork_messages");
  return Array.isArray(messages) ? messages[0]?.entryId : undefined;
}

describe("a session change", () => {
  it("is reported to extensions with its reason", async () => {
    const agent = start(TELL);
    const entryId = await firstEntryId(agent);
    const { sessionFile } = await agent.call("get_state");
    await agent.call("fork", { entryId });
    await agent.call("new_session");
    await agent.call("switch_session", { sessionPath: sessionFile });
    expect(notices(agent)).toEqual([
      "session_start startup undefined",
      "session_shutdown fork undefined",
      "session_fork fork string",
      "session_start fork string",
      "session_shutdown new undefined",
      "session_switch new string",
      "session_start new string",
      "session_shutdown resume undefined",
      "session_switch resume string",
      "session_start resume string",
    ]);
  });

  it("names the file of the next session", async () => {
    const agent = start(`pi.on("session_shutdown", ({ targetSessionFile }, ctx) => ctx.ui.notify(targetSessionFile));`);
    const entryId = await firstEntryId(agent);
    const files: unknown[] = [];
    for (const change of [() => agent.call("fork", { entryId }), () => agent.call("new_session")]) {
      await change();
      files.push((await agent.call("get_state")).sessionFile);
    }
    expect(notices(agent)).toEqual(files);
    expect(new Set(files).size).toBe(2);
  });

  it("names no file when the next session has none", async () => {
    const agent = start(
      `pi.on("session_shutdown", ({ targetSessionFile }, ctx) => ctx.ui.notify(String(targetSessionFile)));`,
      ["--no-session"],
    );
    await agent.call("new_session");
    expect(notices(agent)).toEqual(["undefined"]);
  });

  it("can be cancelled, and the run continues", async () => {
    const agent = start(`${TELL} pi.on("session_before_switch", (event) => ({ cancel: event.reason === "new" }));`);
    const hold = gate();
    model.enqueue(reply([hold, text("undisturbed")]));
    await agent.call("prompt", { message: "go" });
    await hold.reached.promise;
    const before = (await agent.call("get_state")).sessionId;
    expect(await agent.call("new_session")).toEqual({ cancelled: true });
    hold.release();
    expect(await agent.settled()).toMatchObject({ aborted: false });
    expect((await agent.call("get_state")).sessionId).toBe(before);
    expect(notices(agent)).toEqual(["session_start startup undefined"]);
  });

  it("can be cancelled for a fork or a clone", async () => {
    const agent = start(
      `pi.on("session_before_fork", (event, ctx) => { ctx.ui.notify(event.position); return { cancel: true }; });`,
    );
    const entryId = await firstEntryId(agent);
    expect(await agent.call("fork", { entryId })).toEqual({ text: "hello", cancelled: true });
    expect(await agent.call("clone")).toEqual({ cancelled: true });
    expect(notices(agent)).toEqual(["before", "at"]);
  });

  it("waits for the answer to a question about it", async () => {
    const agent = start(
      `pi.on("session_before_switch", async (_e, ctx) => ({ cancel: !(await ctx.ui.confirm("Leave?", "Now?")) }));`,
    );
    const response = agent.call("new_session");
    const question = await agent.waitFor(({ method }) => method === "confirm");
    expect(await agent.call("get_state")).toMatchObject({ isStreaming: false });
    agent.send({ type: "extension_ui_response", id: question.id, confirmed: true });
    expect(await response).toEqual({ cancelled: false });
  });

  it("does not happen when abort ends the wait for a hanging handler", async () => {
    const agent = start(
      `pi.on("session_before_switch", (_e, ctx) => { ctx.ui.notify("stuck"); return new Promise(() => {}); });`,
    );
    const response = agent.call("new_session");
    await agent.waitFor(({ message }) => message === "stuck");
    await agent.call("abort");
    expect(await response).toEqual({ cancelled: true });
  });

  it("does not follow when a compaction is cancelled, and the history stays", async () => {
    const agent = start(`pi.on("session_before_compact", (event, ctx) => {
      ctx.ui.notify([event.reason, event.customInstructions, typeof event.preparation.tokensBefore].join(" ")); return { cancel: true }; });`);
    const long = "word ".repeat(30_000);
    model.enqueue(reply(long), reply(long));
    await agent.run("one");
    await agent.run("two");
    const response = await agent.request("compact", { customInstructions: "short" });
    expect(response).toMatchObject({ success: false, error: "Compaction cancelled", code: "aborted" });
    expect(agent.frames.find(({ type }) => type === "compaction_end")).toMatchObject({ aborted: true, result: null });
    expect(notices(agent)).toEqual(["manual short number"]);
  });

  it("can supply the summary of a compaction", async () => {
    const agent = start(`pi.on("session_before_compact", ({ preparation }) => (
      { compaction: { ...preparation, summary: "All of it, in brief.", details: { by: "hand" } } }));`);
    const long = "word ".repeat(30_000);
    model.enqueue(reply(long), reply(long));
    await agent.run("one");
    await agent.run("two");
    expect(await agent.call("compact")).toMatchObject({ summary: "All of it, in brief.", details: { by: "hand" } });
    expect((await agent.call("get_messages")).messages).toMatchObject([{ role: "compactionSummary" }, {}]);
  });

  it("can be made by commands of extensions", async () => {
    const agent = start(`pi.registerCommand("go", { handler: async (_args, ctx) => {
      const s = ctx.sessionManager;
      const [first, file] = [s.getBranch().find(({ type }) => type === "message").id, s.getSessionFile()];
      const ids = [];
      for (const change of [() => ctx.fork(first), () => ctx.newSession({ parentSession: file }), () => ctx.switchSession(file), () => ctx.clone()]) {
        const { cancelled } = await change();
        ids.push(cancelled || s.getSessionId());
      }
      ctx.ui.notify(String(new Set(ids).size));
      await ctx.fork("missing").catch((error) => ctx.ui.notify(error.message));
    } });`);
    await firstEntryId(agent);
    expect(await agent.call("prompt", { message: "/go" })).toEqual({ disposition: "handled" });
    expect(notices(agent)).toEqual(["4", "Invalid entry ID for forking"]);
    const told = agent.frames.filter(({ type }) => type === "session_changed");
    expect(told.map(({ reason }) => reason)).toEqual(["fork", "new", "resume", "fork"]);
    expect(told.at(-1)).toMatchObject({ sessionId: (await agent.call("get_state")).sessionId });
  });
});
