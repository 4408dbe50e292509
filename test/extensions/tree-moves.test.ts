import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadSessionFile } from "../../agent/session/load.ts";
import { agentDirWith } from "../support/extension-files.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply } from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord } from "../support/spawn-agent.ts";

const RUNS = 30;

/** `/walk <steps as JSON>` takes the steps and shows every entry that is not where it was before. */
const WALKER = `export default (pi) => {
  pi.on("session_before_tree", () => ({ summary: { summary: "left behind" } }));
  pi.registerCommand("walk", { handler: async (args, ctx) => {
    const lost = [];
    for (const step of JSON.parse(args)) {
      const before = ctx.sessionManager.getEntries();
      const texts = before.map((entry) => JSON.stringify(entry));
      if (step.kind === "add") pi.appendEntry("note", step);
      else await ctx.navigateTree(before[step.at % before.length].id, step.options);
      const after = ctx.sessionManager.getEntries();
      lost.push(...texts.filter((text, index) => JSON.stringify(after[index]) !== text));
    }
    ctx.ui.notify(JSON.stringify(lost));
  } });
};`;

let model: ScriptedModel;
let agent: AgentUnderTest;
const cleanups: (() => unknown)[] = [];

beforeAll(async () => {
  model = await ScriptedModel.start([reply("hello to you")]);
  const { agentDir, remove } = agentDirWith({ "walker.ts": WALKER });
  agent = new AgentUnderTest({ agentDir, modelUrl: model.url, args: [] });
  cleanups.push(
    () => agent.dispose(),
    () => model.stop(),
    remove,
  );
  await agent.run("hello");
});

afterAll(async () => {
  for (const cleanup of cleanups) await cleanup();
});

const step = fc.oneof(
  fc.record({ kind: fc.constant("add") }),
  fc.record({
    kind: fc.constant("go"),
    at: fc.nat(1000),
    options: fc.record({ summarize: fc.boolean(), label: fc.constantFrom("", "here", "there") }),
  }),
);

async function walk(steps: object[]): Promise<unknown> {
  const from = agent.frames.length;
  await agent.call("prompt", { message: `/walk ${JSON.stringify(steps)}` });
  const { message } = await agent.waitFor(({ method }) => method === "notify", from);
  return JSON.parse(String(message));
}

describe("moves through the session's tree", () => {
  it("lose no entry, and another process finds the same entries", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        expect(await walk(steps)).toEqual([]);
        const { sessionFile } = await agent.call("get_state");
        const loaded = loadSessionFile(String(sessionFile));
        const { entries, leafId } = await agent.call("get_entries");
        expect(loaded?.lostLines).toBe(0);
        expect(loaded?.entries.map(({ entry }) => entry)).toEqual(entries);
        const ids = (Array.isArray(entries) ? entries : []).map((entry) => asRecord(entry).id);
        expect(new Set(ids).size).toBe(ids.length);
        expect(leafId === null || ids.includes(leafId)).toBe(true);
        const parents = (Array.isArray(entries) ? entries : []).map((entry) => asRecord(entry).parentId);
        expect(parents.every((parent, index) => parent === null || ids.indexOf(parent) < index)).toBe(true);
      }),
      { numRuns: RUNS },
    );
  }, 60_000);
});
