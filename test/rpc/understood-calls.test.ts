import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answer, callUnasked, questionAbout } from "../support/approval-agent.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply, toolCall } from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord } from "../support/spawn-agent.ts";

let model: ScriptedModel;
const agents: AgentUnderTest[] = [];

beforeEach(async () => {
  model = await ScriptedModel.start();
});

afterEach(async () => {
  await Promise.all(agents.splice(0).map((agent) => agent.dispose()));
  await model.stop();
});

function start(...args: string[]): AgentUnderTest {
  const agent = new AgentUnderTest({ modelUrl: model.url, args });
  agents.push(agent);
  return agent;
}

describe("a call that a model writes in another form", () => {
  it("is asked about like the call that it means, and offers the same rules", async () => {
    const agent = start("--no-session", "--permission-mode", "confirm");
    const plain = await questionAbout(agent, model, "bash", { command: "touch made" });
    await answer(agent, plain, { value: "Deny" });
    const forms = [
      toolCall("Bash", { cmd: "touch made" }),
      toolCall("run_terminal_cmd", { command: "touch made" }),
      toolCall("execute_command", { Command: "touch made" }),
    ];
    for (const form of forms) {
      const from = agent.frames.length;
      model.enqueue(reply([form], { stopReason: "tool_use" }), reply("ok"));
      await agent.call("prompt", { message: "go" });
      const question = await agent.waitFor(({ method }) => method === "select", from);
      expect([question.title, question.options]).toEqual([plain.title, plain.options]);
      await answer(agent, question, { value: "Deny" });
    }
    expect(existsSync(join(agent.cwd, "made"))).toBe(false);
  });

  it("is refused in read-only mode when the tool that it means is", async () => {
    const agent = start("--no-session", "--permission-mode", "readonly");
    const end = await callUnasked(agent, model, "str_replace_editor", { command: "create", path: "a", file_text: "x" });
    expect([end.text, existsSync(join(agent.cwd, "a"))]).toEqual([
      "Blocked: write is not allowed in read-only mode",
      false,
    ]);
  });

  it("asks about the path that it means", async () => {
    const agent = start("--no-session", "--permission-mode", "confirm");
    const question = await questionAbout(agent, model, "view_file", { file_path: "/etc/hostname" });
    expect(question.title).toMatch(/^Allow read\? \/etc\/hostname\nreads outside the workspace/);
    await answer(agent, question, { value: "Deny" });
  });

  it("asks about the file that a path in another form means", async () => {
    const agent = start("--no-session", "--permission-mode", "auto-edit");
    writeFileSync(join(agent.cwd, ".env"), "KEY=1");
    for (const path of ['"/etc/hostname"', "file:///etc/hostname", "/etc/hostname:1:1", " /etc/hostname "]) {
      const question = await questionAbout(agent, model, "read", { path });
      expect(String(question.title)).toContain("reads outside the workspace: /etc/hostname");
      await answer(agent, question, { value: "Deny" });
    }
    const secret = await questionAbout(agent, model, "read", { path: "'.env:1'" });
    expect(String(secret.title)).toContain("reads a file that may hold secrets: .env");
    await answer(agent, secret, { value: "Deny" });
    const written = await questionAbout(agent, model, "write", { path: "'/etc/new'", content: "" });
    expect(String(written.title)).toContain("writes outside the workspace: /etc/new");
    await answer(agent, written, { value: "Deny" });
  });

  it("is shown to hosts as the call that runs, and stays in the session as the model wrote it", async () => {
    const agent = start();
    writeFileSync(join(agent.cwd, "a.txt"), "one\ntwo\n");
    model.enqueue(reply([toolCall("Read", { file_path: "a.txt", offset: "2" })]), reply("ok"));
    const frames = await agent.run("go");
    const calls = frames.filter(({ type }) => String(type).startsWith("tool_execution_"));
    expect(calls).toMatchObject([
      { type: "tool_execution_start", toolName: "read", args: { path: "a.txt", offset: 2 } },
      { type: "tool_execution_end", toolName: "read", isError: false },
    ]);
    const sent = model.requests[1]?.body.messages;
    expect(JSON.stringify(sent)).toContain('"name":"Read","input":{"file_path":"a.txt","offset":"2"}');
    const { sessionFile } = await agent.call("get_state");
    const saved = readFileSync(String(sessionFile), "utf8").trim().split("\n");
    const messages = saved.map((line) => asRecord(asRecord(JSON.parse(line)).message));
    expect(messages.find(({ role }) => role === "toolResult")).toMatchObject({
      toolName: "Read",
      isError: false,
      ranAs: { toolName: "read", args: { path: "a.txt", offset: 2 } },
    });
  });

  it("uses the file that the question named, whatever is made meanwhile", async () => {
    const agent = start("--no-session", "--permission-mode", "confirm");
    const question = await questionAbout(agent, model, "write", { path: "'f.txt'", content: "new" });
    expect(question.title).toMatch(/^Allow write\? f\.txt/);
    writeFileSync(join(agent.cwd, "'f.txt'"), "other");
    await answer(agent, question, { value: "Allow once" });
    expect(readFileSync(join(agent.cwd, "'f.txt'"), "utf8")).toBe("other");
    expect(readFileSync(join(agent.cwd, "f.txt"), "utf8")).toBe("new");
  });

  it("waits for earlier calls when the tool that it means does", async () => {
    const agent = start("--no-session");
    writeFileSync(join(agent.cwd, "a"), "0");
    const add = { command: "n=$(cat a); sleep 0.1; echo $((n + 1)) > a" };
    model.enqueue(reply([toolCall("Bash", add), toolCall("Bash", add), toolCall("shell", add)]), reply("ok"));
    await agent.run("go");
    expect(readFileSync(join(agent.cwd, "a"), "utf8")).toBe("3\n");
  });
});
