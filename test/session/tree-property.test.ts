import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ScriptedModel } from "../support/scripted-model.ts";
import { AgentUnderTest, asRecord } from "../support/spawn-agent.ts";

const RUNS = 40;
const TIME = "2026-01-02T03:04:05.000Z";

let model: ScriptedModel;
let folder: string;
let agent: AgentUnderTest;
let files = 0;

beforeAll(async () => {
  model = await ScriptedModel.start();
  folder = mkdtempSync(join(tmpdir(), "tiller-trees-"));
  agent = new AgentUnderTest({ modelUrl: model.url, cwd: folder, agentDir: join(folder, "agent"), args: [] });
});

afterAll(async () => {
  await agent.dispose();
  rmSync(folder, { recursive: true, force: true });
  await model.stop();
});

type Entry = Record<string, unknown> & { id: string; parentId: string | null };

const kind = fc.constantFrom(
  "user",
  "user",
  "assistant",
  "assistant",
  "session_info",
  "label",
  "custom",
  "something_new",
);

/** The kind of an entry, and the distance to its parent in the file, which mostly is the entry before. */
const growth = fc.record({
  kind,
  back: fc.oneof({ weight: 4, arbitrary: fc.constant(1) }, fc.integer({ min: 1, max: 12 })),
});

const tree = fc.array(growth, { minLength: 1, maxLength: 25 }).map((steps) => {
  const entries: Entry[] = [];
  for (const [index, step] of steps.entries()) {
    const id = index.toString(16).padStart(8, "0");
    const parentId = entries[Math.max(0, index - step.back)]?.id ?? null;
    entries.push({ ...bodyOf(step.kind, index, parentId), id, parentId, timestamp: TIME });
  }
  return entries;
});

function bodyOf(type: string, index: number, parentId: string | null): Record<string, unknown> {
  const content = [{ type: "text", text: `${type} ${index}` }];
  switch (type) {
    case "user":
      return { type: "message", message: { role: "user", content, timestamp: index } };
    case "assistant":
      return { type: "message", message: { ...ANSWER, content, timestamp: index } };
    case "session_info":
      return { type, name: `name ${index}` };
    case "label":
      return { type, targetId: parentId ?? "nobody", label: `label ${index}` };
    case "custom":
      return { type, customType: "note", data: { index } };
    default:
      return { type, payload: index };
  }
}

const COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const ANSWER = {
  role: "assistant",
  api: "anthropic-messages",
  provider: "anthropic",
  model: "claude-sonnet-4-5",
  usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: COST },
  stopReason: "stop",
};

/** The messages on the way from the root to an entry. */
function messagesTo(entries: readonly Entry[], leafId: string | null): unknown[] {
  const messages: unknown[] = [];
  for (let id = leafId; id !== null; ) {
    const entry = entries.find((one) => one.id === id);
    if (entry?.message !== undefined) messages.unshift(entry.message);
    id = entry?.parentId ?? null;
  }
  return messages;
}

async function messages(): Promise<unknown> {
  return (await agent.call("get_messages")).messages;
}

async function survives(entries: readonly Entry[]): Promise<void> {
  const path = join(folder, `${++files}.jsonl`);
  const header = { type: "session", version: 3, id: `s-${files}`, timestamp: TIME, cwd: folder };
  writeFileSync(path, [header, ...entries].map((line) => `${JSON.stringify(line)}\n`).join(""));
  const leafId = entries.at(-1)?.id ?? null;
  await agent.call("switch_session", { sessionPath: path });
  expect(await messages()).toEqual(messagesTo(entries, leafId));

  const users = entries.filter(({ message }) => asRecord(message).role === "user");
  const { messages: points } = await agent.call("get_fork_messages");
  expect(Array.isArray(points) ? points.map((point: unknown) => asRecord(point).entryId) : []).toEqual(
    users.map(({ id }) => id),
  );

  const cloned = await agent.request("clone");
  expect(cloned.success).toBe(users.length > 0);
  expect(await messages()).toEqual(messagesTo(entries, leafId));
  await reopen(messagesTo(entries, leafId));

  const point = users.at(-1);
  if (point === undefined) return;
  await agent.call("switch_session", { sessionPath: path });
  await agent.call("fork", { entryId: point.id });
  expect(await messages()).toEqual(messagesTo(entries, point.parentId));
  await reopen(messagesTo(entries, point.parentId));
}

/** Leaves the session and comes back to its file, if it has one by now. */
async function reopen(expected: readonly unknown[]): Promise<void> {
  const { sessionFile } = await agent.call("get_state", { omit: ["systemPrompt", "dumpTools"] });
  const isSaved = expected.some((message) => asRecord(message).role === "user");
  if (!isSaved) return;
  await agent.call("new_session");
  await agent.call("switch_session", { sessionPath: sessionFile });
  expect(await messages()).toEqual(expected);
}

describe("any session tree", () => {
  it("survives load, fork and clone with the messages of its path", { timeout: 120_000 }, async () => {
    await fc.assert(fc.asyncProperty(tree, survives), { numRuns: RUNS, seed: 4711, endOnFailure: true });
  });
});
