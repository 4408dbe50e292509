import { chmodSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readSession } from "../../agent/session/load.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply } from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord } from "../support/spawn-agent.ts";
import { answered, chained, HistoryBench, header, jsonLines, said } from "./history-bench.ts";

let bench: HistoryBench;

beforeEach(() => {
  bench = new HistoryBench();
});

afterEach(() => bench.dispose());

/** A session of nine messages without the line of the third one, and with half a line at its end. */
function damaged(tail = '{"type":"mess'): string {
  const bodies = Array.from({ length: 9 }, (_, n) => (n % 2 === 0 ? said(`question${n}`) : answered(`answer${n}`)));
  const entries = chained(...bodies).filter((_, at) => at !== 2);
  return bench.write("a.jsonl", jsonLines(header({ cwd: bench.cwd }), ...entries) + tail);
}

function copies(): string[] {
  return readdirSync(bench.folder).filter((name) => name.includes(".damaged-"));
}

describe("an agent that opens a damaged session", () => {
  const agents: AgentUnderTest[] = [];
  let model: ScriptedModel;

  beforeAll(async () => {
    model = await ScriptedModel.start();
  });

  afterEach(async () => {
    for (const agent of agents.splice(0)) await agent.dispose();
  });

  afterAll(() => model.stop());

  function open(path: string): AgentUnderTest {
    const agent = new AgentUnderTest({
      modelUrl: model.url,
      cwd: bench.cwd,
      agentDir: bench.agentDir,
      args: ["--session", path],
    });
    agents.push(agent);
    return agent;
  }

  async function messagesOf(agent: AgentUnderTest): Promise<Record<string, unknown>[]> {
    const { messages } = await agent.call("get_messages");
    return Array.isArray(messages) ? messages.map(asRecord) : [];
  }

  it("reports in the conversation how many lines were lost, and keeps the original file", async () => {
    const path = damaged();
    chmodSync(path, 0o640);
    const found = readFileSync(path);
    const agent = open(path);
    const messages = await messagesOf(agent);
    const [copy = ""] = copies();
    expect(messages.at(-1)).toMatchObject({
      role: "custom",
      customType: "tiller.damage",
      display: true,
      content: `1 line of this session's file couldn't be read, so messages may be missing. Tiller kept a copy of the original file as ${join(bench.folder, copy)}.`,
    });
    expect(basename(copy)).toMatch(/^a\.jsonl\.damaged-\d{4}-/);
    expect(readFileSync(join(bench.folder, copy))).toEqual(found);
    expect(statSync(join(bench.folder, copy)).mode & 0o777).toBe(0o640);
    expect(messages).toHaveLength(9);
  });

  it("continues in it, and reports the loss once", async () => {
    const path = damaged();
    const first = open(path);
    const before = await messagesOf(first);
    await first.dispose();
    const again = open(path);
    expect((await messagesOf(again)).length).toBe(before.length);
    model.enqueue(reply("I go on"));
    await again.run("and then?");
    expect(JSON.stringify(model.requests.at(-1)?.body.messages)).toContain("question0");
    await again.dispose();
    const third = open(path);
    const after = await messagesOf(third);
    expect(after.length).toBe(before.length + 2);
    expect(after.filter(({ customType }) => customType === "tiller.damage")).toHaveLength(1);
    expect(copies()).toHaveLength(1);
    expect((await bench.history().list({})).sessions).toHaveLength(1);
  });

  it("changes no existing content of the file", async () => {
    const path = damaged("");
    const found = readFileSync(path);
    const agent = open(path);
    await messagesOf(agent);
    await agent.end();
    expect(readFileSync(path).subarray(0, found.length)).toEqual(found);
  });

  it("upgrades a file of an old version only after the original was kept", async () => {
    const old = { type: "session", id: "v1", timestamp: "2025-01-01T00:00:00.000Z", cwd: bench.cwd };
    const lines = [
      said("one"),
      answered("two"),
      { type: "compaction", summary: "S", firstKeptEntryIndex: 4, tokensBefore: 1 },
    ];
    const text =
      jsonLines(old, ...lines.slice(0, 1)) +
      "half a li\n" +
      jsonLines(...lines.slice(1, 2), said("kept"), ...lines.slice(2));
    const path = bench.write("a.jsonl", text);
    const agent = open(path);
    const messages = await messagesOf(agent);
    expect(messages.map(({ role }) => role)).toEqual(["compactionSummary", "user", "custom"]);
    const [copy = ""] = copies();
    expect(readFileSync(join(bench.folder, copy), "utf8")).toBe(text);
  });

  it("moves the kept copy to the trash and back with the session", async () => {
    const path = damaged();
    await messagesOf(open(path));
    for (const agent of agents.splice(0)) await agent.dispose();
    const there = readdirSync(bench.folder).sort();
    const { trashId } = bench.history().remove({ sessionPath: path });
    expect(readdirSync(bench.folder)).toEqual([]);
    bench.history().restore({ trashId });
    expect(readdirSync(bench.folder).sort()).toEqual(there);
  });

  it("keeps a copy before it renames a session that is not open", async () => {
    const path = damaged();
    const found = readFileSync(path);
    await bench.history().rename({ sessionPath: path, name: "Named" });
    const [copy = ""] = copies();
    expect(readFileSync(join(bench.folder, copy))).toEqual(found);
    expect(readSession(path)?.entries.at(-1)?.known).toMatchObject({ type: "session_info", name: "Named" });
  });
});
