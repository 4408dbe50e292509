import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agentDirWith } from "../support/extension-files.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { gate, reply, text } from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord } from "../support/spawn-agent.ts";

let model: ScriptedModel;
let folder: string;
const agents: AgentUnderTest[] = [];

beforeEach(async () => {
  model = await ScriptedModel.start();
  folder = mkdtempSync(join(tmpdir(), "tiller-navigate-"));
});

afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.dispose();
  rmSync(folder, { recursive: true, force: true });
  await model.stop();
});

function start(args: string[] = [], agentDir = join(folder, "agent")): AgentUnderTest {
  const agent = new AgentUnderTest({ modelUrl: model.url, cwd: folder, agentDir, args });
  agents.push(agent);
  return agent;
}

/** Says both and gets answers. @returns the ids of the two messages. */
async function sayTwo(agent: AgentUnderTest): Promise<[string, string]> {
  model.enqueue(reply("first answer"), reply("second answer"));
  await agent.run("one");
  await agent.run("two");
  const { messages } = await agent.call("get_fork_messages");
  const ids = Array.isArray(messages) ? messages.map((point: unknown) => String(asRecord(point).entryId)) : [];
  return [ids[0] ?? "", ids[1] ?? ""];
}

async function said(agent: AgentUnderTest): Promise<string> {
  const { messages } = await agent.call("get_messages");
  return JSON.stringify(messages);
}

describe("navigate_tree", () => {
  it("goes to before a user message, returns its text, and the next answer is another branch", async () => {
    const agent = start();
    const [, second] = await sayTwo(agent);
    const from = agent.frames.length;
    expect(await agent.call("navigate_tree", { entryId: second })).toEqual({ cancelled: false, text: "two" });
    const frames = agent.frames.slice(from).map(({ type, reason }) => [type, reason]);
    expect(frames).toEqual([
      ["session_changed", "tree"],
      ["response", undefined],
    ]);
    expect(await said(agent)).not.toContain("second answer");
    model.enqueue(reply("another answer"));
    await agent.run("instead");
    const whole = await said(agent);
    expect(whole).toContain("first answer");
    expect(whole).toContain("another answer");
    expect(JSON.stringify((await agent.call("get_tree")).tree)).toContain("second answer");
  });

  it("returns to the earlier branch by its last entry", async () => {
    const agent = start();
    const [first] = await sayTwo(agent);
    const { leafId } = await agent.call("get_tree");
    await agent.call("navigate_tree", { entryId: first });
    expect(await said(agent)).toBe("[]");
    expect(await agent.call("navigate_tree", { entryId: leafId })).toEqual({ cancelled: false });
    expect(await said(agent)).toContain("second answer");
  });

  it("is remembered by the next process, although nothing was said there", async () => {
    const agent = start();
    const [, second] = await sayTwo(agent);
    await agent.call("navigate_tree", { entryId: second });
    const { sessionFile } = await agent.call("get_state");
    await agent.end();
    const next = start(["--session", String(sessionFile)]);
    const messages = await said(next);
    expect(messages).toContain("first answer");
    expect(messages).not.toContain("second answer");
  });

  it("stores a summary of the part left behind when asked to", async () => {
    const agent = start();
    const [first] = await sayTwo(agent);
    model.enqueue(reply("They spoke of one and two."));
    const answer = await agent.call("navigate_tree", { entryId: first, summarize: true, label: "the other way" });
    expect(answer).toEqual({ cancelled: false, text: "one" });
    expect(await said(agent)).toContain("They spoke of one and two.");
    expect(JSON.stringify((await agent.call("get_tree")).tree)).toContain('"label":"the other way"');
  });

  it("is refused while a run is active, and the run continues", async () => {
    const agent = start();
    const [first] = await sayTwo(agent);
    const end = gate();
    model.enqueue(reply([text("I begin. "), end, text("I end.")]));
    await agent.call("prompt", { message: "three" });
    await agent.waitFor(({ type }) => type === "message_update");
    expect(await agent.request("navigate_tree", { entryId: first })).toMatchObject({
      success: false,
      code: "busy",
      error: "A run is active. Stop it, or wait for it to finish, before you go elsewhere.",
    });
    const from = agent.frames.length;
    end.release();
    await agent.settled(from);
    expect(await said(agent)).toContain("I end.");
  });

  it("names a missing entry", async () => {
    const agent = start();
    await sayTwo(agent);
    const before = await said(agent);
    expect(await agent.request("navigate_tree", { entryId: "gone" })).toMatchObject({
      success: false,
      code: "not_found",
      error: "Entry not found: gone",
    });
    expect(await said(agent)).toBe(before);
  });

  it("changes nothing when an extension refuses", async () => {
    const { agentDir, remove } = agentDirWith({
      "no.ts": `export default (pi) => pi.on("session_before_tree", () => ({ cancel: true }));`,
    });
    const agent = start([], agentDir);
    const [first] = await sayTwo(agent);
    expect(await agent.call("navigate_tree", { entryId: first })).toEqual({ cancelled: true });
    expect(agent.frames.some(({ type }) => type === "session_changed")).toBe(false);
    await agent.dispose();
    remove();
  });

  it("ends with abort during the summary, and stays where it was", async () => {
    const agent = start();
    const [first] = await sayTwo(agent);
    const never = gate();
    model.enqueue(reply([text("Half a sum"), never]));
    agent.send({ id: "go", type: "navigate_tree", entryId: first, summarize: true });
    await expect.poll(() => model.requests.length).toBe(3);
    await agent.call("abort");
    const answer = await agent.waitFor(({ id }) => id === "go");
    expect(answer.data).toEqual({ cancelled: true, aborted: true });
    expect(await said(agent)).toContain("second answer");
    never.release();
  });
});

describe("keep_session", () => {
  it("saves a session in memory to a file, which continues", async () => {
    const agent = start(["--no-session"]);
    await sayTwo(agent);
    expect((await agent.call("get_state")).sessionFile).toBeUndefined();
    const { sessionFile } = await agent.call("keep_session");
    expect((await agent.call("get_state")).sessionFile).toBe(sessionFile);
    model.enqueue(reply("third answer"));
    await agent.run("three");
    expect(await agent.call("keep_session")).toEqual({ sessionFile });
    const { sessions } = await agent.call("list_sessions");
    expect(JSON.stringify(sessions)).toContain('"firstMessage":"one"');
    await agent.end();
    const next = start(["--session", String(sessionFile)]);
    const messages = await said(next);
    for (const answer of ["first answer", "second answer", "third answer"]) expect(messages).toContain(answer);
  });

  it("waits for the first message before it creates the file, as new sessions do", async () => {
    const agent = start(["--no-session"]);
    const sessionFile = String((await agent.call("keep_session")).sessionFile);
    expect(existsSync(sessionFile)).toBe(false);
    model.enqueue(reply("hello"));
    await agent.run("hi");
    expect(readFileSync(sessionFile, "utf8")).toContain("hello");
  });

  it("during a run saves later entries, too", async () => {
    const agent = start(["--no-session"]);
    const end = gate();
    model.enqueue(reply([text("I begin. "), end, text("I end.")]));
    await agent.call("prompt", { message: "one" });
    await agent.waitFor(({ type }) => type === "message_update");
    const sessionFile = String((await agent.call("keep_session")).sessionFile);
    const from = agent.frames.length;
    end.release();
    await agent.settled(from);
    expect(readFileSync(sessionFile, "utf8")).toContain("I end.");
  });

  it("that cannot be written stays in memory and reports it", async () => {
    const blocked = join(folder, "blocked");
    writeFileSync(blocked, "a file where a folder should be");
    const agent = start(["--no-session", "--session-dir", join(blocked, "sessions")]);
    await sayTwo(agent);
    const answer = await agent.request("keep_session");
    expect(answer).toMatchObject({ success: false, code: "invalid_request" });
    expect(String(answer.error)).toMatch(/^Couldn't write the session to .*blocked/);
    expect((await agent.call("get_state")).sessionFile).toBeUndefined();
    expect(await said(agent)).toContain("second answer");
  });
});
