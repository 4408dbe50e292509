import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadSessionFile } from "../../agent/session/load.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply } from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord } from "../support/spawn-agent.ts";

/** Sessions that released versions wrote; their names say which. None is ever changed: add one when the format changes. */
const SESSIONS = fileURLToPath(new URL("../fixtures/sessions", import.meta.url));

let model: ScriptedModel;
let folder: string;
const agents: AgentUnderTest[] = [];

beforeEach(async () => {
  model = await ScriptedModel.start();
  folder = mkdtempSync(join(tmpdir(), "tiller-versions-"));
});
afterEach(async () => {
  await Promise.all(agents.splice(0).map((agent) => agent.dispose()));
  await model.stop();
  rmSync(folder, { recursive: true });
});

function open(...args: string[]): AgentUnderTest {
  const agent = new AgentUnderTest({ modelUrl: model.url, cwd: folder, agentDir: join(folder, "agent"), args });
  agents.push(agent);
  return agent;
}

/** Copies a session of the first release. @param version the format that it shall say it has. */
function session({ version = 3 } = {}): string {
  const path = join(folder, "session.jsonl");
  copyFileSync(join(SESSIONS, "0.1.0-format-3.jsonl"), path);
  if (version !== 3) writeFileSync(path, readFileSync(path, "utf8").replace('"version":3', `"version":${version}`));
  return path;
}

describe("a session of an older version", () => {
  it.each(readdirSync(SESSIONS))("%s has nothing that isn't known", (name) => {
    const path = join(folder, name);
    copyFileSync(join(SESSIONS, name), path);
    const loaded = loadSessionFile(path);
    expect(loaded?.entries.length).toBeGreaterThan(5);
    expect(loaded?.entries.filter(({ known }) => known === undefined)).toEqual([]);
    expect(loaded?.lostLines).toBe(0);
  });

  it("opens with its name, messages, branches and tasks, and goes on", async () => {
    const path = session();
    const before = readFileSync(path, "utf8");
    const agent = open("--session", path);
    const state = await agent.call("get_state");
    expect(state).toMatchObject({ sessionName: "Notes and a new file", thinkingLevel: "high" });
    const { messages } = await agent.call("get_messages");
    const kept = ["assistant", "toolResult", "assistant", "user", "assistant"];
    expect(rolesOf(messages)).toEqual(["compactionSummary", ...kept, "user", "assistant"]);
    const { tree } = await agent.call("get_tree");
    expect(JSON.stringify(tree)).toContain("echo from the user");
    model.enqueue(reply("Here I am."));
    await agent.run("Are you there?");
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain("The summary: notes.txt was read.");
    await agent.end();
    const after = readFileSync(path, "utf8");
    expect(after.startsWith(before)).toBe(true);
    expect(after).toContain("Here I am.");
  });
});

describe("a session of a newer version", () => {
  const NEWER =
    /^A newer version of Tiller wrote this session: .*session\.jsonl\. Its format is 4, and this version knows 3\. Update Tiller to open it, or fork it/;

  it("is refused with a text that says so, and stays as it is", async () => {
    const path = session({ version: 4 });
    const before = readFileSync(path, "utf8");
    const agent = open();
    const refused = await agent.request("switch_session", { sessionPath: path });
    expect(refused).toMatchObject({ success: false, code: "session_corrupt", error: expect.stringMatching(NEWER) });
    expect(await agent.call("get_state")).toMatchObject({ messageCount: 0 });
    expect(readFileSync(path, "utf8")).toBe(before);
  });

  it("is refused at the start, too, and can be forked", async () => {
    const path = session({ version: 4 });
    const refused = open("--session", path);
    expect((await refused.exited).code).toBe(1);
    expect(refused.stderr).toMatch(/A newer version of Tiller wrote this session/);
    const copy = open("--fork", path);
    expect(rolesOf((await copy.call("get_messages")).messages)).toContain("compactionSummary");
  });
});

function rolesOf(messages: unknown): unknown[] {
  return Array.isArray(messages) ? messages.map((message) => asRecord(message).role) : [];
}
