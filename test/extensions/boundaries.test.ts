import { describe, expect, it } from "vitest";
import { extensionBench } from "../support/extension-bench.ts";
import { httpError, reply, toolCall } from "../support/scripted-replies.ts";
import { type AgentUnderTest, asRecord } from "../support/spawn-agent.ts";

const bench = extensionBench();
const sent = (request: number) => JSON.stringify(bench.model().requests[request]?.body.messages);
const errors = (agent: AgentUnderTest) =>
  agent.frames.filter(({ type }) => type === "extension_error").map(({ error }) => String(error));
const notices = (agent: AgentUnderTest) =>
  agent.frames.filter(({ method }) => method === "notify").map(({ message }) => JSON.parse(String(message)));
const types = (agent: AgentUnderTest) => agent.frames.map(({ type }) => type);

describe("a handler of agent_before_settle", () => {
  it("adds a message and has the model asked once more, before the run settles", async () => {
    const agent = bench.start(`let isDone = false;
      pi.on("agent_before_settle", ({ entries, outcome }) => {
        if (isDone) return;
        isDone = true;
        return { continue: true, entries: [...entries,
          { type: "custom_message", customType: "review", content: "Review the diff.", display: true, details: outcome }] };
      });`);
    bench.model().enqueue(reply("first"), reply("second"));
    const frames = await agent.run("go");
    expect(sent(1)).toContain("Review the diff.");
    expect(frames.filter(({ type }) => type === "agent_settled")).toHaveLength(1);
    expect(frames.filter(({ type }) => type === "agent_start")).toHaveLength(2);
    const added = frames.filter(({ type }) => type === "message_end").map(({ message }) => asRecord(message));
    expect(added).toContainEqual(
      expect.objectContaining({ role: "custom", customType: "review", details: "completed" }),
    );
  });

  it("isn't called for an aborted run, and learns of a failed one", async () => {
    const agent = bench.start(`pi.on("agent_before_settle", ({ outcome, context }, ctx) =>
      ctx.ui.notify(JSON.stringify([outcome, context.canContinue])));`);
    bench.model().enqueue(httpError(400, "invalid_request_error", "no"));
    await agent.run("go");
    expect(notices(agent)).toEqual([["error", true]]);
  });
});

describe("a handler of turn_end", () => {
  it("replaces an answer: the model no longer sees it, and answers again", async () => {
    const agent = bench.startKeeping({
      "mine.ts": `export default (pi) => { let isDone = false;
      pi.on("turn_end", (event) => {
        if (isDone || event.outcome !== "completed" || event.toolResults.length > 0) return;
        isDone = true;
        return { continue: true, entries: [
          ...event.entries,
          { type: "context_edit", targetId: event.messageEntryId, replacement: null },
          { type: "custom_message", customType: "again", content: "Answer again.", display: false },
        ] };
      }); };`,
    });
    bench.model().enqueue(reply("bad answer"), reply("good answer"), reply("ok"));
    await agent.run("go");
    expect(sent(1)).not.toContain("bad answer");
    expect(sent(1)).toContain("Answer again.");
    const { messages } = await agent.call("get_messages");
    expect(JSON.stringify(messages)).toContain("bad answer");
    await agent.run("more");
    expect(sent(2)).not.toContain("bad answer");
    expect(sent(2)).toContain("good answer");
  });

  it("changes a tool's result for the model, keeps data, and sees what others propose", async () => {
    const agent = bench.start(`
      pi.registerTool({ name: "secret", description: "Tells.", readOnly: true, execute: () => ({ content: [{ type: "text", text: "hunter2" }] }) });
      pi.on("turn_end", ({ toolResultEntryIds: [targetId] }) => targetId &&
        ({ entries: [{ type: "context_edit", targetId, replacement: { content: "(hidden)" } }] }));
      pi.on("turn_end", ({ entries, context, turnIndex, message }, ctx) => {
        ctx.ui.notify(JSON.stringify([turnIndex, message.role, entries.map(({ type }) => type), JSON.stringify(context.llmMessages).includes("hunter2"), context.canContinue]));
        return { entries: [...entries, { type: "custom", customType: "seen", data: turnIndex }] };
      });`);
    bench.model().enqueue(reply([toolCall("secret")]), reply("ok"));
    await agent.run("go");
    expect(sent(1)).toContain("(hidden)");
    expect(sent(1)).not.toContain("hunter2");
    expect(notices(agent)).toEqual([
      [0, "assistant", ["context_edit"], false, true],
      [1, "assistant", [], false, false],
    ]);
    const data = agent.frames.filter(({ type }) => type === "entry_appended").map(({ entry }) => asRecord(entry).data);
    expect(data).toEqual([0, 1]);
  });

  it("puts a summary in place of what came before", async () => {
    const agent =
      bench.start(`pi.on("turn_end", ({ turnIndex, context }) => turnIndex === 0 && context.contextMessages.length < 3 &&
      ({ entries: [{ type: "compaction", summary: "They greeted.", firstKeptEntryId: null }] }));`);
    bench.model().enqueue(reply("hello yourself"), reply("ok"));
    await agent.run("hello");
    await agent.run("more");
    expect(sent(1)).toContain("They greeted.");
    expect(sent(1)).not.toContain("hello yourself");
    expect(types(agent)).toEqual(expect.arrayContaining(["compaction_start", "compaction_end"]));
  });

  it("learns why its result can't be used, and the others still count", async () => {
    const agent = bench.start(`let turn = 0;
      pi.on("turn_end", () => ({ entries: [{ type: "custom", customType: "kept", data: 1 }] }));
      pi.on("turn_end", () => ({ entries: [{ type: "context_edit", targetId: "nobody", replacement: null }], continue: true }));
      pi.on("turn_end", () => ({ entries: [{ type: "note" }] }));
      pi.on("turn_end", () => ({ continue: "yes" }));
      pi.on("turn_end", () => { throw new Error("oops"); });
      pi.on("turn_end", () => ({ continue: turn++ === 0 }));`);
    bench.model().enqueue(reply("ok"));
    await agent.run("go");
    expect(errors(agent)).toEqual([
      expect.stringContaining('"targetId" names no entry of this branch'),
      expect.stringContaining("entries"),
      expect.stringContaining("continue"),
      "oops",
      expect.stringContaining("the model has answered everything"),
    ]);
    expect(agent.frames.filter(({ type }) => type === "entry_appended")).toHaveLength(1);
  });
});
