import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agentDirWith } from "../support/extension-files.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply, toolCall } from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord, type Frame } from "../support/spawn-agent.ts";

const docs = readFileSync(new URL("../../docs/extensions.md", import.meta.url), "utf8");

let model: ScriptedModel;
let agent: AgentUnderTest;
let remove: () => void;

beforeEach(async () => {
  model = await ScriptedModel.start();
});

afterEach(async () => {
  await agent.dispose();
  remove();
  await model.stop();
});

/** An agent with the first example below a heading. */
function startExample(heading: string, env: Record<string, string> = {}): void {
  const [, below = ""] = `\n${docs}`.split(`\n${heading}\n`);
  const code = /```ts\n(.*?)```/s.exec(below)?.[1];
  if (code === undefined) throw new Error(`No example below "${heading}"`);
  const installed = agentDirWith({ "example.ts": code });
  remove = installed.remove;
  agent = new AgentUnderTest({ agentDir: installed.agentDir, modelUrl: model.url, env });
}

function resultText(frames: readonly Frame[]): unknown {
  const { content } = asRecord(frames.find(({ type }) => type === "tool_execution_end")?.result);
  return Array.isArray(content) ? asRecord(content[0]).text : undefined;
}

async function answer(method: string, fields: object): Promise<Frame> {
  const question = await agent.waitFor((frame) => frame.method === method);
  agent.send({ type: "extension_ui_response", id: question.id, ...fields });
  return question;
}

describe("the examples of docs/extensions.md", () => {
  it("greet the user", async () => {
    startExample("# Extensions");
    const done = agent.call("prompt", { message: "/hello" });
    await answer("input", { value: "Ada" });
    expect(await done).toEqual({ disposition: "handled" });
    expect(agent.frames.find(({ method }) => method === "notify")).toMatchObject({ message: "Hello Ada" });
  });

  it("roll dice", async () => {
    startExample("## A tool");
    model.enqueue(reply([toolCall("dice", { count: 1 })]), reply("ok"));
    expect(resultText(await agent.run("go"))).toMatch(/^1 dice: [1-6]$/);
  });

  it("repeat what the user says", async () => {
    startExample("## A custom API");
    await agent.call("set_model", { provider: "parrot", modelId: "grey" });
    const frames = await agent.run("hello");
    expect(asRecord(frames.findLast(({ type }) => type === "message_end")?.message)).toMatchObject({
      content: [{ type: "text", text: "hello" }],
      usage: { input: 10, output: 10 },
    });
  });

  it("add a team's models", async () => {
    startExample("## A model provider", { TEAM_KEY: "k" });
    expect(await agent.call("set_model", { provider: "team", modelId: "team-large" })).toMatchObject({
      name: "Team Large",
      baseUrl: "https://models.example.com",
    });
  });

  it("generate a name for the session", async () => {
    startExample("## Asking a model");
    model.enqueue(reply("ok"), reply("Three Short Words"));
    await agent.run("hello");
    await agent.call("prompt", { message: "/name" });
    await agent.waitFor(({ type, name }) => type === "session_info_changed" && name === "Three Short Words");
  });

  it("stop a deletion that the user rejects", async () => {
    startExample("## Blocking a tool call");
    model.enqueue(reply([toolCall("bash", { command: "rm -rf precious" })]), reply("ok"));
    const run = agent.run("go");
    expect(await answer("confirm", { confirmed: false })).toMatchObject({ message: "rm -rf precious" });
    expect(resultText(await run)).toBe("The user does not want this deleted.");
  });

  it("hide passwords in results", async () => {
    startExample("## Changing a result");
    writeFileSync(join(agent.cwd, "config"), "user=me password=hunter2");
    model.enqueue(reply([toolCall("read", { path: "config" })]), reply("ok"));
    const text = resultText(await agent.run("go"));
    expect(text).toContain("password=***");
    expect(text).not.toContain("hunter2");
  });

  it("reword questions", async () => {
    startExample("## Changing the user's message");
    model.enqueue(reply("ok"));
    await agent.run("? why");
    expect(JSON.stringify(model.requests[0]?.body.messages)).toContain("Answer in one sentence, without tools: why");
  });

  it("reload extensions", async () => {
    startExample("## Reloading");
    await agent.waitFor(({ type }) => type === "ready");
    writeFileSync(
      join(agent.agentDir, "extensions", "later.ts"),
      `export default (pi) =>
      pi.on("session_start", (event, ctx) => ctx.ui.notify(event.reason));`,
    );
    await agent.call("prompt", { message: "/reload" });
    expect(agent.frames.find(({ method }) => method === "notify")).toMatchObject({ message: "reload" });
  });

  it("block a forced push", async () => {
    startExample("## The user's own shell commands");
    expect(await agent.call("bash", { command: "git push --force" })).toMatchObject({
      output: "Not from here: push without --force.",
      exitCode: 1,
    });
    expect(await agent.call("bash", { command: "echo pushed" })).toMatchObject({ output: "pushed\n", exitCode: 0 });
  });

  it("count turns", async () => {
    startExample("## Storing data");
    model.enqueue(reply("ok"), reply("ok"));
    await agent.run("one");
    await agent.run("two");
    const statuses = agent.frames.filter(({ method }) => method === "setStatus").map(({ statusText }) => statusText);
    expect(statuses[0]).toBe("0 turns");
    expect(statuses).toHaveLength(3);
  });

  it("take back the last message", async () => {
    startExample("## Moving within the session");
    model.enqueue(reply("one"), reply("two"), reply("He asked twice."));
    await agent.run("first");
    await agent.run("second");
    await agent.call("prompt", { message: "/undo" });
    expect(agent.frames.find(({ method }) => method === "set_editor_text")).toMatchObject({ text: "second" });
    expect((await agent.call("get_messages")).messages).toMatchObject([
      { role: "user" },
      { role: "assistant" },
      { role: "branchSummary", summary: "He asked twice." },
    ]);
  });

  it("hand over to a new session", async () => {
    startExample("## Other sessions");
    model.enqueue(reply("ok"));
    await agent.call("prompt", { message: "/handover the tests are red" });
    await agent.settled();
    const said = JSON.stringify(model.requests[0]?.body.messages);
    expect(said).toContain("From the session before: the tests are red");
    expect(said).toContain("Go on from there.");
  });

  it("change a built-in tool", async () => {
    startExample("## The built-in tools over other files");
    model.enqueue(reply([toolCall("read", { path: "a.env" })]), reply("ok"));
    expect(resultText(await agent.run("go"))).toBe("This file is not for you.");
  });

  it("let a tool call others", async () => {
    startExample("## Calling other tools");
    writeFileSync(join(agent.cwd, "a.md"), "one\ntwo");
    model.enqueue(reply([toolCall("count_lines", { paths: ["a.md", "b.md"] })]), reply("ok"));
    const frames = await agent.run("go");
    const message = frames.map((frame) => asRecord(frame.message)).find(({ role }) => role === "toolResult");
    expect(message?.content).toEqual([{ type: "text", text: "a.md: 2\nb.md: failed" }]);
  });

  it("review once at the end of a run", async () => {
    startExample("## Going on at the end of a run");
    model.enqueue(reply("done"), reply("nothing is missing"));
    await agent.run("go");
    expect(JSON.stringify(model.requests[1]?.body.messages)).toContain("Is anything missing?");
    expect(model.requests).toHaveLength(2);
  });

  it("bring an MCP server", async () => {
    startExample("## An MCP server");
    model.enqueue(reply("ok"));
    const frames = await agent.run("go");
    const failure = frames.find(({ type, extensionPath }) => type === "extension_error" && extensionPath === "<mcp>");
    expect(failure?.error).toContain("the environment variable TRACKER_TOKEN isn't set");
  });
});
