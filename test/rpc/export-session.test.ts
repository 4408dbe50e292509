import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply, text, toolCall } from "../support/scripted-replies.ts";
import { AgentUnderTest, agentPath, asRecord } from "../support/spawn-agent.ts";

const KEY = "ghp_0123456789abcdefghij";

let model: ScriptedModel;
let folder: string;
const agents: AgentUnderTest[] = [];

beforeEach(async () => {
  model = await ScriptedModel.start();
  folder = mkdtempSync(join(tmpdir(), "tiller-export-"));
});

afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.dispose();
  rmSync(folder, { recursive: true, force: true });
  await model.stop();
});

function start(...args: string[]): AgentUnderTest {
  const agent = new AgentUnderTest({ modelUrl: model.url, cwd: folder, agentDir: join(folder, "agent"), args });
  agents.push(agent);
  return agent;
}

/** A conversation about a key, with a tool call. */
async function talkAboutKey(agent: AgentUnderTest): Promise<void> {
  writeFileSync(join(folder, "notes.txt"), "```\nin the file\n```\n");
  model.enqueue(
    reply([text("I look."), toolCall("read", { path: "notes.txt" })], { stopReason: "tool_use" }),
    reply(`Your key is \`${KEY}\`.`),
  );
  await agent.run(`My key is ${KEY}`);
}

describe("export_session", () => {
  it("writes the conversation as a Markdown document with tool calls, and hides keys", async () => {
    const agent = start();
    await talkAboutKey(agent);
    await agent.call("set_session_name", { name: "About keys" });
    const exported = await agent.call("export_session", { format: "markdown", outputPath: "out/talk.md" });
    expect(exported).toEqual({ path: join(folder, "out", "talk.md"), hiddenSecrets: 1 });
    const [title, , facts, , ...lines] = readFileSync(join(folder, "out", "talk.md"), "utf8").split("\n");
    expect(title).toBe("# About keys");
    expect(facts).toContain(` · ${agentPath(folder)}`);
    expect(lines.join("\n")).toBe(
      [
        "## You",
        "",
        "My key is [redacted]",
        "",
        "## Tiller",
        "",
        "I look.",
        "",
        "**read**",
        "",
        "path: `notes.txt`",
        "",
        "````",
        "```",
        "in the file",
        "```",
        "````",
        "",
        "Your key is `[redacted]`.",
        "",
      ].join("\n"),
    );
  });

  it("keeps the keys when asked to", async () => {
    const agent = start();
    await talkAboutKey(agent);
    const { path, hiddenSecrets } = await agent.call("export_session", { format: "markdown", keepSecrets: true });
    expect(hiddenSecrets).toBe(0);
    expect(readFileSync(String(path), "utf8")).toContain(`My key is ${KEY}`);
  });

  it("writes a valid session with all branches and without keys", async () => {
    const agent = start();
    await talkAboutKey(agent);
    const { messages } = await agent.call("get_fork_messages");
    const [first] = Array.isArray(messages) ? messages.map(asRecord) : [];
    await agent.call("navigate_tree", { entryId: first?.entryId });
    model.enqueue(reply("On the other branch."));
    await agent.run("Something else");
    const { path, hiddenSecrets } = await agent.call("export_session", { format: "jsonl" });
    expect(hiddenSecrets).toBe(1);
    const { sessionFile } = await agent.call("get_state");
    expect(path).toBe(join(folder, `tiller-session-${basename(String(sessionFile))}`));
    expect(readFileSync(String(path), "utf8")).not.toContain(KEY);
    const other = start("--session", String(path));
    expect(JSON.stringify((await other.call("get_messages")).messages)).toContain("On the other branch.");
    expect(JSON.stringify((await other.call("get_tree")).tree)).toContain("My key is [redacted]");
  });

  it("writes the page of export_html and reports how many keys it hides", async () => {
    const agent = start();
    await talkAboutKey(agent);
    const { path, hiddenSecrets } = await agent.call("export_session", { format: "html" });
    expect(hiddenSecrets).toBe(1);
    expect(readFileSync(String(path), "utf8")).toMatch(/^<!doctype html>[\s\S]*My key is \[redacted\]/);
  });

  it("also exports a session in memory", async () => {
    const agent = start("--no-session");
    await talkAboutKey(agent);
    const { path } = await agent.call("export_session", { format: "markdown" });
    const { sessionId } = await agent.call("get_state");
    expect(path).toBe(join(folder, `tiller-session-${String(sessionId)}.md`));
  });

  it("refuses to overwrite the session, and refuses an empty session", async () => {
    const agent = start();
    expect(await agent.request("export_session", { format: "jsonl" })).toMatchObject({
      error: "Nothing to export yet - start a conversation first",
    });
    await talkAboutKey(agent);
    const { sessionFile } = await agent.call("get_state");
    const answer = await agent.request("export_session", { format: "jsonl", outputPath: sessionFile });
    expect(String(answer.error)).toMatch(/^Couldn't write the session to .*: it is the session itself\./);
  });
});
