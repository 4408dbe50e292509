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
const errors = (agent: AgentUnderTest) =>
  agent.frames.filter(({ type }) => type === "extension_error").map(({ error }) => error);
const LONG = "word ".repeat(30_000);

async function talkAtLength(agent: AgentUnderTest): Promise<void> {
  model.enqueue(reply([toolCall("read", { path: "a.txt" })]), reply(LONG), reply(LONG));
  await agent.run("one");
  await agent.run("two");
}

async function rolesOf(agent: AgentUnderTest): Promise<unknown[]> {
  const { messages } = await agent.call("get_messages");
  return Array.isArray(messages) ? messages.map((message) => asRecord(message).role) : [];
}

describe("compaction events", () => {
  it("contain all parts of the compaction, and report its result", async () => {
    const agent = start(`
      pi.on("session_before_compact", (event, ctx) => {
        const p = event.preparation;
        ctx.ui.notify(JSON.stringify([p.messagesToSummarize.map(({ role }) => role), p.turnPrefixMessages.length, p.isSplitTurn,
          typeof p.tokensBefore, p.previousSummary ?? "none", [...p.fileOps.read], p.settings.enabled, p.settings.keepRecentTokens,
          event.branchEntries.some(({ id }) => id === p.firstKeptEntryId), event.reason, event.willRetry]));
        p.messagesToSummarize.length = 0;
      });
      pi.on("session_compact", (event, ctx) => ctx.ui.notify(JSON.stringify([
        event.compactionEntry.type, event.compactionEntry.summary.slice(0, 7), event.fromExtension, event.reason, event.willRetry,
        ctx.sessionManager.getLeafId() === event.compactionEntry.id])));`);
    await talkAtLength(agent);
    model.enqueue(reply("A note."), reply("And another."));
    await agent.call("compact");
    expect(notices(agent).map((notice) => JSON.parse(notice))).toEqual([
      [
        ["user", "assistant", "toolResult", "assistant"],
        1,
        true,
        "number",
        "none",
        ["a.txt"],
        true,
        20000,
        true,
        "manual",
        false,
      ],
      ["compaction", "A note.", false, "manual", false, true],
    ]);
    expect(JSON.stringify(model.requests.at(-2)?.body)).toContain("[User]\\none");
  });

  it("report failed, refused and aborted compactions", async () => {
    const agent = start(`
      pi.registerCommand("refuse", { handler: () => { globalThis.refuses = true; } });
      pi.on("session_before_compact", () => ({ cancel: globalThis.refuses }));
      pi.on("session_compact_failed", ({ type, ...event }, ctx) => ctx.ui.notify(JSON.stringify(event)));`);
    await agent.request("compact");
    await talkAtLength(agent);
    model.enqueue(httpError(400, "invalid_request_error", "no"));
    await agent.request("compact");
    const hold = gate();
    model.enqueue(reply([hold, text("late")]));
    agent.send({ type: "compact" });
    await hold.reached.promise;
    await agent.call("abort");
    await agent.call("prompt", { message: "/refuse" });
    await agent.request("compact");
    const told = { reason: "manual", willRetry: false, fromExtension: false };
    expect(notices(agent).map((notice) => JSON.parse(notice))).toEqual([
      { ...told, aborted: false, errorMessage: "Compaction failed: Nothing to compact (session too small)" },
      { ...told, aborted: false, errorMessage: expect.stringMatching(/^Compaction failed: Summarization failed: /) },
      { ...told, aborted: true },
      { ...told, aborted: true },
    ]);
  });

  it("report automatic compactions, and whether the request is repeated", async () => {
    const tell = `({ reason, willRetry }, ctx) => ctx.ui.notify([reason, willRetry].join(" "))`;
    const { agentDir, remove } = agentDirWith({
      "mine.ts": `export default (pi) => {
        for (const type of ["session_before_compact", "session_compact", "session_compact_failed"]) pi.on(type, ${tell});
      };`,
      "../settings.json": JSON.stringify({ compaction: { reserveTokens: 2000, keepRecentTokens: 100 } }),
      "../models.json": JSON.stringify({
        providers: {
          local: {
            baseUrl: model.url,
            api: "anthropic-messages",
            apiKey: "key",
            models: [{ id: "tiny", contextWindow: 10_000, maxTokens: 3000 }],
          },
        },
      }),
    });
    cleanups.push(remove);
    const agent = new AgentUnderTest({ agentDir, args: ["--model", "local/tiny"] });
    cleanups.push(() => agent.dispose());
    const words = "word ".repeat(200);
    model.enqueue(reply(words), reply(words, { usage: { input_tokens: 9000 } }), reply("A note."), reply("Its rest."));
    await agent.run("one");
    await agent.run("two");
    const tooLong = httpError(400, "invalid_request_error", "prompt is too long: 10001 tokens > 10000 maximum");
    model.enqueue(reply(words), tooLong, reply("A note."), reply("Its rest."), reply("Answered."));
    await agent.run("three");
    await agent.run("four");
    expect(notices(agent)).toEqual(["threshold false", "threshold false", "overflow true", "overflow true"]);
  });

  it("say when an extension supplied the summary", async () => {
    const agent = start(`
      pi.on("session_before_compact", ({ preparation }) => ({ compaction: { ...preparation, summary: "In brief." } }));
      pi.on("session_compact", ({ fromExtension, compactionEntry }, ctx) =>
        ctx.ui.notify(fromExtension + " " + compactionEntry.summary));`);
    await talkAtLength(agent);
    await agent.call("compact");
    expect(notices(agent)).toEqual(["true In brief."]);
  });
});

describe("ctx.newSession()", () => {
  it("fills the session before it is active", async () => {
    const agent = start(
      `${go(`
      let kept;
      await ctx.newSession({ parentSession: "/tmp/old.jsonl", setup: async (session) => {
        kept = session;
        session.appendMessage({ role: "user", content: [{ type: "text", text: "from before" }], timestamp: 1 });
        session.appendCustomEntry("state", { count: 3 });
        session.appendCustomMessageEntry("note", "a note", true);
        session.appendSessionInfo("Prepared");
        session.appendModelChange("anthropic", "claude-x");
        session.appendLabelChange(session.getLeafId(), "here");
        ctx.ui.notify(session.buildSessionContext().messages.map(({ role }) => role).join(" "));
      } });
      try { kept.appendSessionInfo("Late"); } catch (error) { ctx.ui.notify(error.message); }
    `)} pi.on("session_start", ({ reason }, ctx) => ctx.ui.notify(reason + " " + ctx.sessionManager.getSessionName()));`,
    );
    await agent.call("prompt", { message: "/go" });
    expect(notices(agent)).toEqual([
      "startup undefined",
      "user custom",
      "new Prepared",
      "This session is live: it can be filled only while setup() runs.",
    ]);
    const { sessionFile, sessionName } = await agent.call("get_state");
    expect(sessionName).toBe("Prepared");
    expect(await rolesOf(agent)).toEqual(["user", "custom"]);
    model.enqueue(reply("ok"));
    await agent.run("go on");
    expect(JSON.stringify(model.requests[0]?.body.messages)).toContain("from before");
    const loaded = loadSessionFile(String(sessionFile));
    expect(loaded?.lostLines).toBe(0);
    expect(loaded?.header.parentSession).toBe("/tmp/old.jsonl");
    expect(loaded?.entries.every(({ known }) => known !== undefined)).toBe(true);
  });

  it("keeps the current session when filling fails, and leaves nothing on disk", async () => {
    const agent = start(
      `${go(`await ctx.newSession({ setup: (session) => {
        session.appendMessage({ role: "user", content: "half", timestamp: 1 });
        if (args === "wrong") session.appendMessage({ role: "nobody" });
        throw new Error("cannot");
      } });`)} pi.on("session_start", ({ reason }, ctx) => ctx.ui.notify(reason));`,
    );
    model.enqueue(reply("ok"), reply("still here"));
    await agent.run("hello");
    const before = await agent.call("get_state");
    await agent.call("prompt", { message: "/go" });
    await agent.call("prompt", { message: "/go wrong" });
    expect(errors(agent)).toEqual(["cannot", expect.stringMatching(/^The entry cannot be added:\n/)]);
    expect(notices(agent)).toEqual(["startup", "resume", "resume"]);
    expect(await agent.call("get_state")).toMatchObject({
      sessionId: before.sessionId,
      sessionFile: before.sessionFile,
    });
    await agent.run("and on");
    expect(
      loadSessionFile(String(before.sessionFile))?.entries.filter(({ entry }) => entry.type === "message"),
    ).toHaveLength(4);
  });

  it("is cancelled when abort comes while the session is filled", async () => {
    const agent = start(
      go(`await ctx.newSession({ setup: () => { ctx.ui.notify("stuck"); return new Promise(() => {}); } });`),
    );
    const { sessionId } = await agent.call("get_state");
    const answer = agent.call("prompt", { message: "/go" });
    await agent.waitFor(({ message }) => message === "stuck");
    await agent.call("abort");
    await answer;
    expect(errors(agent)).toEqual(["The new session was aborted before it was filled."]);
    expect((await agent.call("get_state")).sessionId).toBe(sessionId);
  });

  it("calls back once the session is active, as fork and switchSession do", async () => {
    const agent = start(
      go(`
      const old = ctx.sessionManager;
      const file = old.getSessionFile();
      const entry = old.getBranch().findLast(({ type }) => type === "message").id;
      const say = (name) => ({ withSession: async (fresh) => {
        ctx.ui.notify([name, fresh.sessionManager.getSessionId() === old.getSessionId(), fresh.isIdle()].join(" "));
        if (name === "new") await fresh.sendUserMessage("said in the new one");
        await fresh.waitForIdle();
      } });
      await ctx.newSession(say("new"));
      await ctx.switchSession(file, say("switch"));
      await ctx.fork(entry, { position: "at", ...say("fork") });
      ctx.ui.notify(String(old.getBranch().filter(({ type }) => type === "message").length));
    `),
    );
    model.enqueue(reply("ok"), reply("and here"));
    await agent.run("hello");
    await agent.call("prompt", { message: "/go" });
    expect(notices(agent)).toEqual(["new true true", "switch true true", "fork true true", "2"]);
    expect(JSON.stringify(model.requests[1]?.body.messages)).toContain("said in the new one");
    expect(errors(agent)).toEqual([]);
  });

  it("waits for the runs that its callback starts", async () => {
    const agent = start(
      go(`await ctx.newSession({ withSession: async (fresh) => {
        const tell = () => ctx.ui.notify([fresh.isIdle(), fresh.sessionManager.getBranch().filter(({ type }) => type === "message").length].join(" "));
        await fresh.sendUserMessage("first");
        tell();
        await fresh.sendMessage({ customType: "note", content: "second" }, { triggerTurn: true });
        tell();
      } });`),
    );
    model.enqueue(reply("one"), reply("two"));
    await agent.call("prompt", { message: "/go" });
    expect(notices(agent)).toEqual(["true 2", "true 3"]);
  });
});
