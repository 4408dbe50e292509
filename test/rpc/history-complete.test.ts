import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply } from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord } from "../support/spawn-agent.ts";

let model: ScriptedModel;
let root: string;
let agent: AgentUnderTest;

beforeEach(async () => {
  model = await ScriptedModel.start([reply("You said apples")]);
  root = mkdtempSync(join(tmpdir(), "tiller-complete-"));
  mkdirSync(join(root, "project"));
  agent = new AgentUnderTest({
    modelUrl: model.url,
    cwd: join(root, "project"),
    agentDir: join(root, "agent"),
    args: [],
  });
});

afterEach(async () => {
  await agent.dispose();
  rmSync(root, { recursive: true, force: true });
  await model.stop();
});

/** Returns the problem of each file in the list, if it has one. */
async function listed(): Promise<{ total: unknown; problems: Map<string, unknown> }> {
  const { sessions, total } = await agent.call("list_sessions");
  const rows = Array.isArray(sessions) ? sessions.map(asRecord) : [];
  return { total, problems: new Map(rows.map(({ path, problem }) => [String(path), problem])) };
}

const BROKEN: Record<string, string | Uint8Array> = {
  "not-json.jsonl": "this is no session\n",
  "other-json.jsonl": '{"type":"something else"}\n',
  "binary.jsonl": Uint8Array.from([0, 255, 1, 254, 10, 0]),
  "half.jsonl": '{"type":"session","version":3,"id":"half","timest',
};

describe("the history", () => {
  it("is read from disk each time, lists as many sessions as there are files, and hides none that cannot be read", async () => {
    await agent.run("apples");
    const own = String((await agent.call("get_state")).sessionFile);
    const folder = dirname(own);
    expect(await listed()).toEqual({ total: 1, problems: new Map([[own, undefined]]) });

    for (const [name, content] of Object.entries(BROKEN)) writeFileSync(join(folder, name), content);
    writeFileSync(join(folder, "copy.jsonl"), readFileSync(own));
    const { total, problems } = await listed();
    const files = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
    expect(total).toBe(files.length);
    expect([...problems.keys()].sort()).toEqual(files.map((name) => join(folder, name)).sort());
    for (const name of Object.keys(BROKEN)) expect(problems.get(join(folder, name)), name).toEqual(expect.any(String));
    expect(problems.get(join(folder, "copy.jsonl"))).toBeUndefined();

    writeFileSync(join(folder, "copy.jsonl"), "broken meanwhile\n");
    rmSync(join(folder, "half.jsonl"));
    const after = await listed();
    expect(after.total).toBe(files.length - 1);
    expect(after.problems.get(join(folder, "copy.jsonl"))).toEqual(expect.any(String));
    for (const [name, content] of Object.entries(BROKEN).filter(([name]) => name !== "half.jsonl")) {
      expect(readFileSync(join(folder, name)), name).toEqual(Buffer.from(content));
    }
  });
});
