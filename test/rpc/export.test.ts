import { execFile } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ScriptedModel } from "../support/scripted-model.ts";
import { gate, reply, text } from "../support/scripted-replies.ts";
import { AgentUnderTest, BUILT_AGENT } from "../support/spawn-agent.ts";

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

async function converse(agent: AgentUnderTest, prompt: string, answer: string): Promise<void> {
  model.enqueue(reply(answer));
  await agent.run(prompt);
}

describe("export_html", () => {
  it("writes a self-contained page and escapes script text", async () => {
    const agent = start();
    await converse(agent, "Run <script>alert(1)</script>", "**Never** <img src=x onerror=alert(1)>");
    const { path } = await agent.call("export_html");
    const { sessionFile } = await agent.call("get_state");
    expect(path).toBe(join(folder, `tiller-session-${basename(String(sessionFile), ".jsonl")}.html`));
    const page = readFileSync(String(path), "utf8");
    expect(page).toMatch(/^<!doctype html>\n[\s\S]*<\/html>\n$/);
    expect(page).toContain("Run &lt;script&gt;alert(1)&lt;/script&gt;");
    expect(page).toContain("<strong>Never</strong> &lt;img src=x onerror=alert(1)&gt;");
    expect(page).not.toMatch(/<script|<img|<link|@import|url\(/);
    expect(statSync(String(path)).mode & 0o777).toBe(0o600);
  });

  it("refuses a session in memory", async () => {
    const agent = start("--no-session");
    await converse(agent, "hi", "hello");
    expect(await agent.request("export_html")).toMatchObject({
      success: false,
      error: "Cannot export in-memory session to HTML",
    });
  });

  it("refuses an empty session", async () => {
    const agent = start();
    await agent.call("set_session_name", { name: "Plan" });
    expect(await agent.request("export_html")).toMatchObject({
      success: false,
      error: "Nothing to export yet - start a conversation first",
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  it("resolves a path from the working directory, creates its folders and replaces an older page", async () => {
    const agent = start();
    await converse(agent, "one", "first");
    await agent.call("export_html", { outputPath: "shared/pages/talk.html" });
    await converse(agent, "two", "second");
    const { path } = await agent.call("export_html", { outputPath: "shared/pages/talk.html" });
    expect(path).toBe(join(folder, "shared/pages/talk.html"));
    expect(readFileSync(String(path), "utf8")).toContain("second");
    expect(readdirSync(join(folder, "shared/pages"))).toEqual(["talk.html"]);
  });

  it("works while the model answers, and shows what is there so far", async () => {
    const agent = start();
    const held = gate();
    model.enqueue(reply([text("a"), held]));
    await agent.call("prompt", { message: "take your time" });
    await agent.waitFor(({ type }) => type === "message_update");
    const { path } = await agent.call("export_html", { outputPath: "now.html" });
    held.release();
    expect(readFileSync(String(path), "utf8")).toContain("take your time");
    await agent.settled();
  });

  it("reports why a page cannot be written and leaves the session as it is", async () => {
    const agent = start();
    await converse(agent, "hi", "hello");
    const { sessionFile } = await agent.call("get_state");
    const before = readFileSync(String(sessionFile), "utf8");
    mkdirSync(join(folder, "taken"));
    writeFileSync(join(folder, "plain"), "");
    symlinkSync(String(sessionFile), join(folder, "alias.html"));
    const refusal = async (outputPath: string) => String((await agent.request("export_html", { outputPath })).error);
    expect(await refusal("taken")).toBe(
      `Couldn't write the page to ${join(folder, "taken")}: it is a folder. Choose another output path.`,
    );
    expect(await refusal("plain/page.html")).toMatch(/^Couldn't write the page to .*: E(NOTDIR|EXIST).*output path\.$/);
    expect(await refusal("alias.html")).toContain("it is the session itself");
    expect(await refusal("/dev/null")).toContain("it is not a regular file");
    expect(readFileSync(String(sessionFile), "utf8")).toBe(before);
  });

  it("removes the keys of this process from the page", async () => {
    const agentDir = join(folder, "agent");
    mkdirSync(agentDir);
    const mine = {
      id: "m",
      name: "M",
      contextWindow: 1000,
      maxTokens: 100,
      headers: { "x-api-key": "header-secret-1" },
    };
    const provider = { baseUrl: model.url, api: "anthropic-messages", apiKey: "file-secret-1", models: [mine] };
    writeFileSync(join(agentDir, "models.json"), JSON.stringify({ providers: { mine: provider } }));
    const env = { OPENAI_API_KEY: "other-provider-1" };
    const agent = new AgentUnderTest({ modelUrl: model.url, cwd: folder, agentDir, args: [], env });
    agents.push(agent);
    const keys = "test-key, file-secret-1, header-secret-1, other-provider-1";
    await converse(agent, `My keys are ${keys}.`, "Better `not` say them.");
    const { path } = await agent.call("export_html");
    const hidden = "[redacted], [redacted], [redacted], [redacted]";
    expect(readFileSync(String(path), "utf8")).toContain(`My keys are ${hidden}.`);
  });
});

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

function exportFile(...args: string[]): Promise<Ended> {
  const env = { PATH: process.env.PATH, HOME: folder, GROQ_API_KEY: "key-of-this-shell" };
  return new Promise((resolve) => {
    execFile(process.execPath, [BUILT_AGENT, "--export", ...args], { cwd: folder, env }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === "number" ? error.code : 0, stdout, stderr });
    });
  });
}

function writeSession(name: string, lines: readonly object[]): string {
  const path = join(folder, name);
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return path;
}

const HEADER = { type: "session", version: 3, id: "s-1", timestamp: "2026-01-02T03:04:05.000Z", cwd: "/nowhere" };
const SAID = { role: "user", content: "An old question about key-of-this-shell", timestamp: 1 };
const ENTRY = { type: "message", id: "00000001", parentId: null, timestamp: "2026-01-02T03:04:05.000Z", message: SAID };

describe("--export", () => {
  it("writes the page of a session file and prints only its path", async () => {
    writeSession("talk.jsonl", [HEADER, ENTRY]);
    const path = join(folder, "tiller-session-talk.html");
    expect(await exportFile("talk.jsonl")).toEqual({ code: 0, stdout: `${path}\n`, stderr: "" });
    expect(readFileSync(path, "utf8")).toContain("An old question about [redacted]");
    expect((await exportFile("talk.jsonl", "pages/a.html")).stdout).toBe(`${join(folder, "pages/a.html")}\n`);
  });

  it("reads a file of version 1 and leaves it as it is", async () => {
    const path = writeSession("old.jsonl", [
      { type: "session", id: "s-0", timestamp: "2025-01-02T03:04:05.000Z", cwd: "/nowhere" },
      { type: "message", timestamp: "2025-01-02T03:04:06.000Z", message: SAID },
    ]);
    const before = readFileSync(path, "utf8");
    expect((await exportFile("old.jsonl", "old.html")).code).toBe(0);
    expect(readFileSync(join(folder, "old.html"), "utf8")).toContain("An old question");
    expect(readFileSync(path, "utf8")).toBe(before);
  });

  it("exits with 1 and a text on stderr for a file that is not a session or has no messages", async () => {
    writeFileSync(join(folder, "notes.txt"), "Buy milk\n");
    writeSession("empty.jsonl", [HEADER]);
    const failed = (stderr: string) => ({ code: 1, stdout: "", stderr: `${stderr}\n` });
    const invalid = `Error: Session file is not a valid tiller session: ${join(folder, "notes.txt")}`;
    expect(await exportFile("notes.txt")).toEqual(failed(invalid));
    expect(await exportFile("none.jsonl")).toEqual(failed("No session found matching 'none.jsonl'"));
    expect(await exportFile("empty.jsonl")).toEqual(failed("Nothing to export yet - start a conversation first"));
    expect(await exportFile()).toEqual(failed("Error: --export requires a value"));
  });
});
