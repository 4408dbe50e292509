import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeFiles } from "../support/extension-files.ts";
import { checkRuns } from "../support/run-grammar.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { gate, hang, httpError, reply, text, thinking, toolCall } from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord, type Frame } from "../support/spawn-agent.ts";

let model: ScriptedModel;
let agentDir: string;
let cwd: string;
let agents: AgentUnderTest[];

beforeEach(async () => {
  model = await ScriptedModel.start();
  agentDir = mkdtempSync(join(tmpdir(), "tiller-rules-"));
  cwd = mkdtempSync(join(tmpdir(), "tiller-project-"));
  agents = [];
});

afterEach(async () => {
  await Promise.all(agents.map((agent) => agent.dispose()));
  for (const folder of [agentDir, cwd]) rmSync(folder, { recursive: true, force: true });
  await model.stop();
});

function start(...args: string[]): AgentUnderTest {
  const agent = new AgentUnderTest({ modelUrl: model.url, agentDir, cwd, args });
  agents.push(agent);
  return agent;
}

/** Puts rules of the user into place, each with its header and its text. */
function rules(files: Record<string, [header: string, content: string]>): void {
  for (const [name, [header, content]] of Object.entries(files)) {
    writeFiles(join(agentDir, "rules"), { [`${name}.md`]: `---\n${header}\n---\n${content}\n` });
  }
}

const triggered = (frames: readonly Frame[]) =>
  frames.filter(({ type }) => type === "ttsr_triggered").map((frame) => namesOf(frame.rules));
const namesOf = (list: unknown) => (Array.isArray(list) ? list.map((rule: unknown) => asRecord(rule).name) : []);
const lastSent = () => JSON.stringify(model.requests.at(-1)?.body.messages);
const answers = (frames: readonly Frame[]) =>
  frames
    .filter(({ type, message }) => type === "message_end" && asRecord(message).role === "assistant")
    .map(({ message }) => asRecord(message));

describe("a stream rule", () => {
  it("ends the answer that violates it, and a bracket that begins with its text follows", async () => {
    rules({ "no-any": ["description: Types\ncondition: ':\\s*any\\b'", "Give it a real type."] });
    const agent = start("--no-session");
    const stuck = hang({ afterBlocks: [text("const x: any = 1", { chunks: 8 })] });
    model.enqueue(stuck, reply("const x: number = 1"));
    const frames = await agent.run("go");
    await stuck.clientClosed.promise;
    expect(checkRuns(frames)).toBe(1);
    const path = join(agentDir, "rules", "no-any.md");
    const rule = { name: "no-any", description: "Types", path, content: "Give it a real type." };
    const at = frames.findIndex(({ type }) => type === "ttsr_triggered");
    expect(frames.slice(at - 1, at + 9)).toMatchObject([
      { type: "message_update" },
      { type: "ttsr_triggered", rules: [rule] },
      { type: "message_end", message: { role: "assistant", stopReason: "aborted", content: [{ type: "text" }] } },
      { type: "turn_end", toolResults: [] },
      { type: "agent_end", willRetry: false, willContinue: true },
      { type: "agent_start" },
      { type: "turn_start" },
      { type: "message_start", message: { role: "custom", customType: "ttsr-injection", display: false } },
      { type: "message_end", message: { role: "custom", details: { rules: ["no-any"] } } },
      { type: "message_start", message: { role: "assistant" } },
    ]);
    expect(frames.filter(({ message }) => asRecord(message).role === "user")).toHaveLength(2); // start and end of the prompt
    expect(frames.at(-1)).toMatchObject({ type: "agent_settled", aborted: false });
    expect(lastSent()).toContain("const x: any");
    expect(lastSent()).toContain("Give it a real type.");
  });

  it("applies once in a session, even after it is reopened, and again in another one", async () => {
    rules({ once: ["condition: bad", "Be good."] });
    const agent = start();
    model.enqueue(reply("bad bad"), reply("bad again"), reply("still bad"), reply("bad"), reply("good"));
    expect(triggered(await agent.run("one"))).toEqual([["once"]]);
    expect(triggered(await agent.run("two"))).toEqual([]);
    const { sessionFile } = await agent.call("get_state");
    await agent.call("new_session");
    expect(triggered(await agent.run("three"))).toEqual([["once"]]);
    await agent.call("switch_session", { sessionPath: sessionFile });
    model.enqueue(reply("bad as ever"));
    expect(triggered(await agent.run("back"))).toEqual([]);
    await agent.end();
    const heir = start("--session", String(sessionFile));
    model.enqueue(reply("bad once more"));
    expect(triggered(await heir.run("four"))).toEqual([]);
  });

  it("is forgotten by a fork from before it applied, and remembered by a clone", async () => {
    rules({ once: ["condition: bad", "Be good."] });
    const agent = start();
    model.enqueue(reply("fine"), reply("bad."), reply("good"), reply("bad."), reply("bad."), reply("good"));
    await agent.run("one");
    expect(triggered(await agent.run("two"))).toEqual([["once"]]);
    const { messages } = await agent.call("get_fork_messages");
    await agent.call("clone");
    expect(triggered(await agent.run("three"))).toEqual([]);
    const second = Array.isArray(messages) ? asRecord(messages[1]) : {};
    await agent.call("fork", { entryId: second.entryId });
    expect(triggered(await agent.run("two again"))).toEqual([["once"]]);
  });

  it("is remembered in the format of other agents", async () => {
    rules({ theirs: ["condition: bad", "Be good."] });
    const file = join(cwd, "session.jsonl");
    const at = { parentId: null, timestamp: "2026-01-01T00:00:00.000Z" };
    const entry = { type: "ttsr_injection", id: "aaaaaaaa", ...at, injectedRules: ["theirs"] };
    const header = { type: "session", version: 3, id: "s", timestamp: at.timestamp, cwd };
    writeFileSync(file, `${JSON.stringify(header)}\n${JSON.stringify(entry)}\n`);
    const agent = start("--session", file);
    model.enqueue(reply("bad"));
    expect(triggered(await agent.run("go"))).toEqual([]);
    expect(readFileSync(file, "utf8")).toContain("bad");
  });

  it("applies together with others that match", async () => {
    rules({ b: ["condition: two", "B."], a: ["condition: one", "A."], c: ["condition: three", "C."] });
    const agent = start("--no-session");
    model.enqueue(reply("one two."), reply("three."), reply("fine"));
    const frames = await agent.run("go");
    expect(triggered(frames)).toEqual([["a", "b"], ["c"]]);
    expect(checkRuns(frames)).toBe(1);
  });

  it("can apply again, after some turns or always, but not forever in one run", async () => {
    rules({ gap: ["condition: gap\nrepeat: 2", "G."], always: ["condition: bad\nrepeat: always", "A."] });
    const agent = start("--no-session");
    model.enqueue(reply("gap."), reply("gap."), reply("gap."), reply("ok"));
    expect(triggered(await agent.run("one"))).toEqual([["gap"]]);
    expect(triggered(await agent.run("two"))).toEqual([["gap"]]);
    model.enqueue(...Array.from({ length: 11 }, () => reply("bad.")));
    const frames = await agent.run("three");
    expect(triggered(frames)).toHaveLength(10);
    expect(checkRuns(frames)).toBe(1);
  });

  it("of the project needs no trust, and is read again when it changes", async () => {
    writeFiles(cwd, { ".pi/rules/p.md": "---\ncondition: first\n---\nP." });
    const agent = start("--no-session");
    model.enqueue(reply("first."), reply("ok"));
    expect(triggered(await agent.run("one"))).toEqual([["p"]]);
    writeFiles(cwd, { ".tiller/rules/q.md": "---\ncondition: second\n---\nQ." });
    model.enqueue(reply("second."), reply("ok"));
    expect(triggered(await agent.run("two"))).toEqual([["q"]]);
  });

  it("is ignored with --no-rules", async () => {
    rules({ r: ["condition: bad", "Be good."] });
    const agent = start("--no-session", "--no-rules");
    model.enqueue(reply("bad."));
    expect(triggered(await agent.run("go"))).toEqual([]);
    expect(agent.stderr).toBe("");
  });
});

describe("a stream rule and tool calls", () => {
  it("stops a call whose arguments violate it", async () => {
    rules({ careful: ["condition: 'rm\\s+-rf'\nscope: tool:bash", "Ask first."] });
    const agent = start("--no-session");
    const made = join(cwd, "made");
    const command = `touch ${made} && rm -rf "${cwd}/x"`;
    model.enqueue(reply([text("So."), toolCall("bash", { command }, { pieces: 9, delayMs: 5 })]), reply("Shall I?"));
    const frames = await agent.run("rm -rf please");
    expect(checkRuns(frames)).toBe(1);
    expect(triggered(frames)).toEqual([["careful"]]);
    expect(frames.some(({ type }) => type === "tool_execution_start")).toBe(false);
    expect(() => readFileSync(made)).toThrow("ENOENT");
    expect(answers(frames)[0]).toMatchObject({ stopReason: "aborted", content: [{ type: "text", text: "So." }] });
  });

  it("gives complete calls a result without running them", async () => {
    rules({ late: ["condition: bad", "No."] });
    const agent = start("--no-session");
    const made = join(cwd, "made");
    const calls = [toolCall("bash", { command: `touch ${made}` }, { id: "toolu_1" }), toolCall("ls", { path: "bad" })];
    model.enqueue(reply(calls), reply("fine"));
    const frames = await agent.run("go");
    expect(checkRuns(frames)).toBe(1);
    const ends = frames.filter(({ type }) => type === "tool_execution_end");
    expect(ends[0]).toMatchObject({
      toolCallId: "toolu_1",
      isError: true,
      result: { content: [{ type: "text", text: "Tool execution was aborted: Request was aborted" }] },
    });
    expect(() => readFileSync(made)).toThrow("ENOENT");
    expect(lastSent()).toContain("toolu_1");
  });

  it("checks thinking only when it says so", async () => {
    rules({ thoughts: ["condition: secret\nscope: thinking", "T."], words: ["condition: secret\nscope: text", "W."] });
    const agent = start("--no-session");
    model.enqueue(reply([thinking("a secret plan"), text("hello")]), reply("secret."), reply("ok"));
    expect(triggered(await agent.run("go"))).toEqual([["thoughts"], ["words"]]);
  });
});

describe("a stream rule together with other features", () => {
  it("ends with an abort that comes while the answer continues", async () => {
    rules({ r: ["condition: bad", "Be good."] });
    const agent = start("--no-session");
    model.enqueue(reply("bad."), hang({ afterBlocks: [text("better")] }));
    await agent.call("prompt", { message: "go" });
    const at = agent.frames.indexOf(await agent.waitFor(({ type }) => type === "ttsr_triggered"));
    await agent.waitFor(({ type }) => type === "message_update", at);
    await agent.call("abort");
    expect(checkRuns(agent.frames)).toBe(1);
    expect(agent.frames.findLast(({ type }) => type === "agent_end")).toMatchObject({ willContinue: false });
    expect(agent.frames.findLast(({ type }) => type === "agent_settled")).toMatchObject({ aborted: true });
  });

  it("is not used up when the run is aborted before the model was told", async () => {
    rules({ r: ["condition: bad", "Be good."] });
    writeFiles(agentDir, {
      "extensions/stuck.ts": `export default (pi) => {
        let isFirst = true;
        pi.on("ttsr_triggered", (event, ctx) => {
          ctx.ui.notify(event.rules.map((rule) => rule.name).join());
          if (isFirst) { isFirst = false; return new Promise(() => {}); }
        });
      };`,
    });
    const agent = start("--no-session");
    model.enqueue(reply("bad."), reply("bad."), reply("ok"));
    await agent.call("prompt", { message: "go" });
    await agent.waitFor(({ method, message }) => method === "notify" && message === "r");
    await agent.call("abort");
    const first = agent.frames.filter(({ type }) => !["response", "ready", "extension_ui_request"].includes(type));
    expect(first.slice(-3)).toMatchObject([
      { type: "turn_end" },
      { type: "agent_end", willContinue: false },
      { type: "agent_settled", aborted: true },
    ]);
    expect(triggered(await agent.run("again"))).toEqual([["r"]]);
  });

  it("lets a steering message follow its text, and a follow-up wait for the end", async () => {
    rules({ r: ["condition: bad", "Be good."] });
    const agent = start("--no-session");
    const hold = gate();
    model.enqueue(reply([text("so "), hold, text("bad.")]), reply("good"), reply("done"));
    await agent.call("prompt", { message: "go" });
    await agent.waitFor(({ type }) => type === "message_update");
    await agent.call("steer", { message: "be quick" });
    await agent.call("follow_up", { message: "and then" });
    hold.release();
    await agent.settled();
    expect(checkRuns(agent.frames)).toBe(1);
    const roles = agent.frames
      .filter(({ type }) => type === "message_end")
      .map(({ message }) => asRecord(message).role);
    expect(roles).toEqual(["user", "assistant", "custom", "user", "assistant", "user", "assistant"]);
  });

  it("works with retries before and after", async () => {
    rules({ r: ["condition: bad", "Be good."] });
    writeFileSync(join(agentDir, "settings.json"), JSON.stringify({ retry: { baseDelayMs: 1 } }));
    const agent = start("--no-session");
    const overloaded = () => httpError(529, "overloaded_error", "Overloaded");
    model.enqueue(overloaded(), reply("bad."), overloaded(), reply("good"));
    const frames = await agent.run("go");
    expect(checkRuns(frames)).toBe(1);
    expect(frames.filter(({ type }) => type.startsWith("auto_retry")).map(({ attempt }) => attempt)).toEqual([
      1, 1, 1, 1,
    ]);
    expect(triggered(frames)).toEqual([["r"]]);
    expect(lastSent()).toContain("Be good.");
  });

  it("that is broken is reported with its file, and breaks nothing", async () => {
    rules({ broken: ["condition: ['(', 'x{3']", "B."], slow: ["condition: '(x+x+)+y'", "S."] });
    const agent = start("--no-session");
    model.enqueue(reply(`${"x".repeat(300)} ok`), reply("ok"));
    const frames = await agent.run("go");
    expect(answers(frames)).toMatchObject([{ stopReason: "stop" }]);
    const errors = frames.filter(({ type }) => type === "extension_error");
    expect(errors.map(({ extensionPath, event }) => [extensionPath, event])).toEqual([
      [join(agentDir, "rules", "broken.md"), "stream_rule"],
      [join(agentDir, "rules", "slow.md"), "stream_rule"],
    ]);
    expect(agent.stderr).toContain(`${join(agentDir, "rules", "slow.md")}: the rule is left out`);
    expect((await agent.run("go on")).some(({ type }) => type === "extension_error")).toBe(false);
  });
});
