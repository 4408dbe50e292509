import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkRuns } from "../support/run-grammar.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import {
  cutMidStream,
  httpError,
  reply,
  type ScriptedReply,
  text,
  thinking,
  toolCall,
} from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord, type Frame } from "../support/spawn-agent.ts";

const RUNS = 40;
const MAX_STEPS = 14;

let model: ScriptedModel;
let agentDir: string;
let agent: AgentUnderTest;
let asked = 0;
let texts = 0;

const REPLIES: readonly (() => ScriptedReply)[] = [
  () => reply([text("Short")]),
  () => reply([thinking("Hm."), text("One two three four", { chunks: 4, delayMs: 2 })]),
  () => reply([toolCall("bash", { command: "echo hi; sleep 0.02" }), toolCall("read", { path: "missing" })]),
  () => reply([text("Look"), toolCall("read", { path: "missing" }, { pieces: 3, delayMs: 2 })]),
  () => httpError(529, "overloaded_error", "Overloaded"),
  () => cutMidStream([text("Half")]),
  () => reply([text("Slow", { chunks: 4, delayMs: 15 })]),
];

beforeAll(async () => {
  model = await ScriptedModel.start();
  const answer = () => {
    model.enqueue(answer);
    return REPLIES[asked++ % REPLIES.length]?.() ?? reply("ok");
  };
  model.enqueue(answer);
  agentDir = mkdtempSync(join(tmpdir(), "tiller-interleaving-"));
  writeFileSync(
    join(agentDir, "settings.json"),
    JSON.stringify({ retry: { baseDelayMs: 3 }, compaction: { keepRecentTokens: 1 } }),
  );
  agent = new AgentUnderTest({ modelUrl: model.url, agentDir, args: [] });
});

afterAll(async () => {
  await agent.dispose();
  rmSync(agentDir, { recursive: true, force: true });
  await model.close();
});

interface Step {
  type: string;
  fields: Record<string, unknown>;
  /** The event that the host waits for before its next step. */
  wait: "nothing" | "answer" | "frame";
}

type Command = readonly [type: string, fields: Record<string, unknown>];

function oneOf(...commands: readonly Command[]): fc.Arbitrary<Command> {
  return fc.constantFrom(...commands);
}

const talk = oneOf(
  ["prompt", {}],
  ["prompt", { streamingBehavior: "steer" }],
  ["prompt", { streamingBehavior: "followUp" }],
  ["steer", {}],
  ["follow_up", {}],
  ["abort_and_prompt", {}],
);
const control = oneOf(["abort", {}], ["abort_retry", {}], ["clear_queue", {}], ["abort_bash", {}]);
const set = oneOf(
  ["set_steering_mode", { mode: "all" }],
  ["set_steering_mode", { mode: "one-at-a-time" }],
  ["set_follow_up_mode", { mode: "all" }],
  ["set_interrupt_mode", { mode: "immediate" }],
  ["set_interrupt_mode", { mode: "wait" }],
  ["set_thinking_level", { level: "off" }],
  ["cycle_thinking_level", {}],
  ["cycle_model", {}],
  ["set_session_name", { name: "n" }],
  ["set_auto_retry", { enabled: true }],
);
const session = oneOf(
  ["new_session", {}],
  ["clone", {}],
  ["compact", {}],
  ["fork", {}],
  ["bash", { command: "echo hi" }],
  ["get_messages", {}],
);

const step: fc.Arbitrary<Step> = fc
  .tuple(
    fc.oneof({ weight: 6, arbitrary: talk }, { weight: 2, arbitrary: control }, { weight: 2, arbitrary: set }, session),
    fc.constantFrom<Step["wait"][]>("nothing", "nothing", "answer", "frame"),
  )
  .map(([[type, fields], wait]) => ({ type, fields, wait }));

/** A command that was sent, and what became of it. */
interface Sent {
  id: string;
  type: string;
  message: string | undefined;
}

const TALKS: ReadonlySet<string> = new Set(["prompt", "steer", "follow_up", "abort_and_prompt"]);
const REPLACES: ReadonlySet<string> = new Set(["new_session", "clone", "fork"]);

async function play(steps: readonly Step[]): Promise<Sent[]> {
  const sent: Sent[] = [];
  for (const { type, wait, ...rest } of steps) {
    const fields = type === "fork" ? await forkPoint() : rest.fields;
    const id = `s${++texts}`;
    const message = TALKS.has(type) ? `text ${texts}` : undefined;
    const from = agent.frames.length;
    agent.send({ id, type, ...fields, ...(message === undefined ? {} : { message }) });
    sent.push({ id, type, message });
    if (wait === "answer") await agent.waitFor((frame) => frame.id === id && frame.type === "response", from);
    if (wait === "frame") await agent.waitFor(() => true, from);
  }
  return sent;
}

async function forkPoint(): Promise<{ entryId: string }> {
  const { messages } = await agent.call("get_fork_messages");
  return { entryId: String(Array.isArray(messages) ? asRecord(messages.at(-1)).entryId : "") };
}

function responsesTo(frames: readonly Frame[], id: string): Frame[] {
  return frames.filter((frame) => frame.type === "response" && frame.id === id);
}

/** True when a text was in a queue before position `at`. A prompt answered with "queued" that was in none has been held. */
function wasListed(frames: readonly Frame[], at: number, message: string | undefined): boolean {
  const lists = frames.slice(0, at).filter(({ type }) => type === "queue_update");
  return JSON.stringify(lists).includes(`"${message}"`);
}

/** How many runs belong to the prompts: those that were started, and those that were held for a compaction or another session. */
function promisedRuns(frames: readonly Frame[], sent: readonly Sent[]): number {
  return sent.filter(({ id, type, message }) => {
    const at = frames.findIndex((frame) => frame.type === "response" && frame.id === id);
    const { disposition } = asRecord(frames[at]?.data);
    if (disposition !== "queued" || type !== "prompt") return disposition === "started";
    return !wasListed(frames, at, message);
  }).length;
}

/** The user's texts that went to the model. */
function delivered(frames: readonly Frame[]): string[] {
  return frames.flatMap((frame) => {
    const { role, content } = asRecord(frame.message);
    if (frame.type !== "message_end" || role !== "user" || !Array.isArray(content)) return [];
    return [content.map((block: unknown) => String(asRecord(block).text)).join("")];
  });
}

/** Texts that were queued and neither delivered, given back, dropped with their session, nor still listed. */
function lostTexts(frames: readonly Frame[], sent: readonly Sent[]): string[] {
  const arrived = new Set(delivered(frames));
  const queues = frames.findLast(({ type }) => type === "queue_update") ?? { steering: [], followUp: [] };
  const removed = frames.filter(({ command }) => command === "clear_queue").map(({ data }) => data);
  const known = JSON.stringify([queues.steering, queues.followUp, removed]);
  const lastReplaced = frames.findLastIndex(
    ({ command, success }) => REPLACES.has(String(command)) && success === true,
  );
  return sent.flatMap(({ id, message }) => {
    const at = frames.findIndex((frame) => frame.id === id && asRecord(frame.data).disposition === "queued");
    if (message === undefined || at < lastReplaced || !wasListed(frames, at, message)) return [];
    return arrived.has(message) || known.includes(`"${message}"`) ? [] : [message];
  });
}

async function expectGoodOrder(steps: readonly Step[]): Promise<void> {
  await agent.call("new_session");
  await agent.call("get_state");
  const from = agent.frames.length;
  const sent = await play(steps);
  const seen = () => agent.frames.slice(from);
  await agent.until(() => sent.every(({ id }) => responsesTo(seen(), id).length > 0) || undefined, "all answers");
  const settled = () => seen().filter(({ type }) => type === "agent_settled").length;
  const isQuiet = () => settled() === promisedRuns(seen(), sent);
  await agent.until(() => isQuiet() || undefined, "the end of all runs");
  const state = await agent.call("get_state", { omit: ["systemPrompt", "dumpTools"] });
  const frames = seen();
  expect(state).toMatchObject({ isStreaming: false, isRetrying: false });
  for (const { id } of sent) expect(responsesTo(frames, id)).toHaveLength(1);
  expect(checkRuns(frames)).toBe(promisedRuns(frames, sent));
  expect(lostTexts(frames, sent)).toEqual([]);
  const all = delivered(frames);
  expect(new Set(all).size).toBe(all.length);
  const queues = frames.findLast(({ type }) => type === "queue_update") ?? { steering: [], followUp: [] };
  const listed = [queues.steering, queues.followUp].flat().length;
  expect(state.pendingMessageCount).toBe(listed);
}

describe("commands in random order", () => {
  it("keep the grammar of runs, are answered once each and lose no queued message", {
    timeout: 120_000,
  }, async () => {
    const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: MAX_STEPS }), expectGoodOrder);
    await fc.assert(property, { numRuns: RUNS, seed: 4711, endOnFailure: true });
  });
});
