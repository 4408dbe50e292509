import { describe, expect, it } from "vitest";
import { extensionBench } from "../support/extension-bench.ts";
import { reply } from "../support/scripted-replies.ts";
import type { AgentUnderTest } from "../support/spawn-agent.ts";

const { model, start } = extensionBench();

/** A new session that a command of an extension fills; `user(text)` makes a message. */
const filled = (body: string) => `
  const user = (text) => ({ role: "user", content: [{ type: "text", text }], timestamp: 1 });
  pi.registerCommand("go", { handler: async (_args, ctx) => {
    await ctx.newSession({ setup: (session) => { ${body} } }).catch((error) => ctx.ui.notify(error.message));
  } });`;

async function sentAfter(agent: AgentUnderTest): Promise<string> {
  await agent.call("prompt", { message: "/go" });
  model().enqueue(reply("ok"));
  await agent.run("and now");
  return JSON.stringify(model().requests.at(-1)?.body.messages);
}

describe("a session that an extension fills", () => {
  it("can begin with a summary, and records its thinking level", async () => {
    const agent = start(
      filled(`session.appendMessage(user("long ago"));
        const kept = session.appendMessage(user("lately"));
        session.appendThinkingLevelChange("high");
        session.appendCompaction("They talked.", kept, 1234);
        ctx.ui.notify(session.buildSessionContext().thinkingLevel);`),
    );
    const sent = await sentAfter(agent);
    for (const text of ["They talked.", "lately", "and now"]) expect(sent).toContain(text);
    expect(sent).not.toContain("long ago");
    expect(agent.frames.find(({ method }) => method === "notify")).toMatchObject({ message: "high" });
  });

  it("can leave one branch and begin another", async () => {
    const agent = start(
      filled(`session.appendMessage(user("left behind"));
        session.resetLeaf();
        const first = session.appendMessage(user("the beginning"));
        session.appendMessage(user("a side way"));
        session.branch(first);
        if (session.getLeafId() !== first) throw new Error("not there");
        session.appendMessage(user("the way on"));`),
    );
    const sent = await sentAfter(agent);
    for (const text of ["the beginning", "the way on", "and now"]) expect(sent).toContain(text);
    for (const text of ["left behind", "a side way"]) expect(sent).not.toContain(text);
    const { tree } = await agent.call("get_tree");
    expect(JSON.stringify(tree)).toContain("left behind");
  });

  it.each([
    ['session.appendCompaction("s", null, 1.5);', "The entry cannot be added"],
    ['session.appendMessage({ role: "nobody" });', "The entry cannot be added"],
    ['session.branch("missing");', "missing"],
  ])("refuses %s, and the current session stays", async (body, problem) => {
    const agent = start(filled(body));
    const { sessionId } = await agent.call("get_state");
    await agent.call("prompt", { message: "/go" });
    const { message } = await agent.waitFor(({ method }) => method === "notify");
    expect(message).toContain(problem);
    expect((await agent.call("get_state")).sessionId).toBe(sessionId);
  });
});
