import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadSessionFile } from "../../agent/session/load.ts";
import { agentDirWith } from "../support/extension-files.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { gate, httpError, reply, text, toolCall } from "../support/scripted-replies.ts";
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

/** `/go <position> <options as JSON>` goes to the message at that place of the file and shows what came of it. */
const GO = `pi.registerCommand("go", { handler: async (args, ctx) => {
  const [place, options = "{}"] = args.split(/ (.*)/s);
  const messages = ctx.sessionManager.getEntries().filter(({ type }) => type === "message");
  try {
    const done = await ctx.navigateTree(place in messages ? messages[place].id : place, JSON.parse(options));
    ctx.ui.notify(JSON.stringify(done));
  } catch (error) { ctx.ui.notify("failed: " + error.message); }
} });`;

/** An agent, which keeps its sessions, with this extension beside `/go`. */
function start(body = ""): AgentUnderTest {
  const { agentDir, remove } = agentDirWith({ "mine.ts": `export default (pi) => { ${GO} ${body} };` });
  cleanups.push(remove);
  const agent = new AgentUnderTest({ agentDir, modelUrl: model.url, args: [] });
  cleanups.push(() => agent.dispose());
  return agent;
}

/** Two exchanges: the places of their messages are 0 to 3. */
async function talk(agent: AgentUnderTest): Promise<void> {
  model.enqueue(reply("first answer"), reply("second answer"));
  await agent.run("first question");
  await agent.run("second question");
}

const notices = (agent: AgentUnderTest) =>
  agent.frames.filter(({ method }) => method === "notify").map(({ message }) => String(message));

async function go(agent: AgentUnderTest, args: string): Promise<Record<string, unknown>> {
  const count = notices(agent).length;
  await agent.call("prompt", { message: `/go ${args}` });
  const said = notices(agent)[count] ?? "";
  return said.startsWith("failed: ") ? { failed: said.slice(8) } : asRecord(JSON.parse(said));
}

const sent = (index: number) => JSON.stringify(model.requests.at(index)?.body.messages);

async function contextOf(agent: AgentUnderTest): Promise<Record<string, unknown>[]> {
  const { messages } = await agent.call("get_messages");
  return Array.isArray(messages) ? messages.map(asRecord) : [];
}

/** Returns the content of the session's file as another process reads it. */
async function reloaded(agent: AgentUnderTest) {
  const { sessionFile } = await agent.call("get_state");
  return loadSessionFile(String(sessionFile))?.entries.map(({ entry }) => entry) ?? [];
}

describe("ctx.navigateTree()", () => {
  it("takes back a user message and returns its text to the host", async () => {
    const agent = start();
    await talk(agent);
    expect(await go(agent, "2")).toEqual({ cancelled: false, editorText: "second question" });
    expect(agent.frames.find(({ method }) => method === "set_editor_text")).toMatchObject({ text: "second question" });
    expect((await contextOf(agent)).map(({ role }) => role)).toEqual(["user", "assistant"]);
    model.enqueue(reply("another answer"));
    await agent.run("another question");
    expect(sent(2)).not.toContain("second");
    const messages = (await reloaded(agent)).filter(({ type }) => type === "message");
    expect(messages).toHaveLength(6);
    expect(messages[4]?.parentId).toBe(messages[1]?.id);
    expect(messages[2]?.parentId).toBe(messages[1]?.id);
  });

  it("goes to the start, and to an answer, which is then the last entry", async () => {
    const agent = start();
    await talk(agent);
    expect(await go(agent, "1")).toEqual({ cancelled: false });
    expect((await agent.call("get_entries")).leafId).toBe(
      (await reloaded(agent)).filter(({ type }) => type === "message")[1]?.id,
    );
    await go(agent, "0");
    expect(await contextOf(agent)).toEqual([]);
    model.enqueue(reply("from scratch"));
    await agent.run("anew");
    expect(sent(2)).not.toContain("first");
    expect((await contextOf(agent)).map(({ role }) => role)).toEqual(["user", "assistant"]);
  });

  it("can summarize what is left behind, with the files it was about", async () => {
    const agent = start();
    model.enqueue(reply("first answer"), reply([toolCall("read", { path: "notes.txt" })]), reply("second answer"));
    await agent.run("first question");
    await agent.run("second question");
    model.enqueue(reply("## Goal\nTo look around"));
    const done = await go(agent, `1 ${JSON.stringify({ summarize: true, customInstructions: "mind the notes" })}`);
    const summary = "## Goal\nTo look around\n\n<read-files>\nnotes.txt\n</read-files>";
    const details = { readFiles: ["notes.txt"], modifiedFiles: [] };
    expect(done).toMatchObject({ cancelled: false, summaryEntry: { type: "branch_summary", summary, details } });
    expect(sent(3)).toContain("mind the notes");
    expect(sent(3)).toContain("second question");
    expect(sent(3)).not.toContain("first question");
    model.enqueue(reply("third answer"));
    await agent.run("third question");
    expect(sent(4)).toContain("To look around");
    expect(sent(4)).not.toContain("second question");
    const entries = await reloaded(agent);
    const entry = entries.find(({ type }) => type === "branch_summary");
    const messages = entries.filter(({ type }) => type === "message");
    expect(entry).toMatchObject({ parentId: messages[1]?.id, fromId: messages[5]?.id, details });
    expect((await contextOf(agent)).map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "branchSummary",
      "user",
      "assistant",
    ]);
  });

  it("accepts other instructions, and names the summary", async () => {
    const agent = start();
    await talk(agent);
    model.enqueue(reply("Short."));
    const options = {
      summarize: true,
      customInstructions: "One word only.",
      replaceInstructions: true,
      label: "tried",
    };
    const { summaryEntry } = await go(agent, `1 ${JSON.stringify(options)}`);
    expect(sent(2)).toContain("One word only.");
    expect(sent(2)).not.toContain("## Goal");
    expect((await reloaded(agent)).find(({ type }) => type === "label")).toMatchObject({
      targetId: asRecord(summaryEntry).id,
      label: "tried",
    });
    await go(agent, `0 ${JSON.stringify({ label: "start" })}`);
    const entries = await reloaded(agent);
    const first = entries.find(({ type }) => type === "message");
    expect(entries.at(-1)).toMatchObject({
      type: "label",
      label: "start",
      targetId: first?.id,
      parentId: first?.parentId,
    });
  });

  it("reports another try at the summary, and fails without moving when there is none", async () => {
    const agent = start();
    await talk(agent);
    const { leafId } = await agent.call("get_entries");
    model.enqueue(
      httpError(529, "overloaded_error", "busy", { "retry-after": "0" }),
      httpError(400, "invalid_request_error", "no"),
    );
    const done = await go(agent, `1 {"summarize":true}`);
    expect(done.failed).toMatch(/^Summarization failed: /);
    expect(agent.frames.find(({ type }) => type === "summarization_retry_attempt_start")).toEqual({
      type: "summarization_retry_attempt_start",
      source: "branchSummary",
    });
    expect((await agent.call("get_entries")).leafId).toBe(leafId);
  });

  it("is ended by abort during the summary; a prompt that came meanwhile runs at the old place", async () => {
    const agent = start();
    await talk(agent);
    const hold = gate();
    model.enqueue(reply([hold, text("too late")]), reply("third answer"));
    agent.send({ id: "go", type: "prompt", message: `/go 1 {"summarize":true}` });
    await hold.reached.promise;
    expect(await agent.call("get_state")).toMatchObject({ isCompacting: true });
    await agent.call("abort");
    await agent.until(() => notices(agent)[0], "the end");
    expect(notices(agent)).toEqual([JSON.stringify({ cancelled: true, aborted: true })]);
    await agent.run("third question");
    expect(sent(3)).toContain("second answer");
  });

  it("is refused during a run and for a missing entry", async () => {
    const agent = start();
    await talk(agent);
    expect(await go(agent, "nowhere")).toEqual({ failed: "Entry not found: nowhere" });
    const hold = gate();
    model.enqueue(reply([hold, text("busy")]));
    await agent.call("prompt", { message: "third" });
    await hold.reached.promise;
    expect((await go(agent, "1")).failed).toMatch(/^A run is active\./);
    hold.release();
    await agent.settled();
  });

  it("is refused to a handler of another move", async () => {
    const agent = start(`pi.on("session_before_tree", (event, ctx) =>
      ctx.navigateTree(event.preparation.oldLeafId).catch((error) => ctx.ui.setStatus("second", error.message)));`);
    await talk(agent);
    expect(await go(agent, "1")).toEqual({ cancelled: false });
    expect(agent.frames.find(({ method }) => method === "setStatus")).toMatchObject({
      statusText: "Tiller is summarizing a branch. Wait for it to finish before you go elsewhere.",
    });
  });

  it("continues with the selected model, and records it in the file", async () => {
    const agent = start();
    await agent.call("set_thinking_level", { level: "low" });
    await talk(agent);
    await agent.call("set_thinking_level", { level: "high" });
    await go(agent, "2");
    model.enqueue(reply("third answer"));
    await agent.run("third question");
    const entries = await reloaded(agent);
    const said = entries.find((entry) => JSON.stringify(entry).includes("third question"));
    const before = entries.find(({ id }) => id === said?.parentId);
    expect(before).toMatchObject({ type: "thinking_level_change", thinkingLevel: "high" });
  });
});

describe("session_before_tree and session_tree", () => {
  it("report the move, in both directions", async () => {
    const agent = start(`
      pi.on("session_before_tree", ({ preparation: p, signal }, ctx) => ctx.ui.notify(JSON.stringify([
        p.userWantsSummary, p.commonAncestorId === p.targetId, p.entriesToSummarize.map(({ type }) => type), signal.aborted])));
      pi.on("session_tree", (event, ctx) => ctx.ui.notify(JSON.stringify([
        event.newLeafId === ctx.sessionManager.getLeafId(), event.oldLeafId !== event.newLeafId, event.summaryEntry ?? "none"])));`);
    await talk(agent);
    await agent.call("prompt", { message: "/go 1" });
    expect(notices(agent).map((notice) => JSON.parse(notice))).toEqual([
      [false, true, ["message", "message"], false],
      [true, true, "none"],
      { cancelled: false },
    ]);
  });

  it("can cancel the move", async () => {
    const agent = start(`pi.on("session_before_tree", () => ({ cancel: true }));`);
    await talk(agent);
    expect(await go(agent, "1")).toEqual({ cancelled: true });
    expect(await contextOf(agent)).toHaveLength(4);
  });

  it("can supply the summary and its name, but changes of the event have no effect", async () => {
    const agent = start(`
      pi.on("agent_settled", () => pi.appendEntry("state", { call() {}, text: "data" }));
      pi.on("session_before_tree", ({ preparation }) => {
        for (const entry of preparation.entriesToSummarize) entry.message = undefined;
        return { summary: { summary: "By hand.", details: { by: "me" } }, label: "mine" };
      });
      pi.on("session_tree", (event, ctx) => ctx.ui.setStatus("tree", String(event.fromExtension)));`);
    await talk(agent);
    const { summaryEntry } = await go(agent, `1 {"summarize":true}`);
    expect(summaryEntry).toMatchObject({
      summary: "By hand.",
      details: { by: "me" },
      fromHook: true,
      fromExtension: true,
    });
    expect(agent.frames.find(({ method }) => method === "setStatus")).toMatchObject({ statusText: "true" });
    expect((await reloaded(agent)).at(-1)).toMatchObject({ type: "label", label: "mine" });
    expect((await agent.call("get_fork_messages")).messages).toHaveLength(2);
    expect(await go(agent, "1")).toMatchObject({ cancelled: false });
  });

  it("that hang are abandoned after an abort, and nothing moves", async () => {
    const agent = start(
      `pi.on("session_before_tree", (_e, ctx) => { ctx.ui.setStatus("here", "stuck"); return new Promise(() => {}); });`,
    );
    await talk(agent);
    agent.send({ id: "go", type: "prompt", message: "/go 1" });
    await agent.waitFor(({ statusText }) => statusText === "stuck");
    await agent.call("abort");
    await agent.until(() => notices(agent)[0], "the end");
    expect(notices(agent)).toEqual([JSON.stringify({ cancelled: true, aborted: true })]);
    expect(await contextOf(agent)).toHaveLength(4);
  });
});
