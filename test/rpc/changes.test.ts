import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply, toolCall } from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord, type Frame } from "../support/spawn-agent.ts";

const LINES = Array.from({ length: 20 }, (_, index) => `line ${index + 1}\n`).join("");

let model: ScriptedModel;
let agent: AgentUnderTest;

beforeEach(async () => {
  model = await ScriptedModel.start();
  agent = new AgentUnderTest({ modelUrl: model.url, args: [] });
});

afterEach(async () => {
  await agent.dispose();
  await model.stop();
});

const place = (name: string) => join(agent.cwd, name);
const put = (name: string, text: string) => writeFileSync(place(name), text);
const read = (name: string) => readFileSync(place(name), "utf8");

/** A run in which the model makes these calls, one after another. */
async function run(message: string, ...calls: ReturnType<typeof toolCall>[]): Promise<Frame[]> {
  for (const call of calls) model.enqueue(reply([call]));
  model.enqueue(reply("Done."));
  return agent.run(message);
}

const edit = (path: string, oldText: string, newText: string) =>
  toolCall("edit", { path, edits: [{ oldText, newText }] });
const bash = (command: string) => toolCall("bash", { command });

/** The changed files as `kind name +added -removed`. */
async function listed(fields: object = {}): Promise<string[]> {
  const { files } = await agent.call("get_changes", fields);
  return records(files).map(({ path, kind, added, removed }) => `${kind} ${nameOf(path)} +${added} -${removed}`);
}

/** What became of each file. */
async function undone(fields: object = {}): Promise<string[]> {
  const { files } = await agent.call("undo_changes", fields);
  return records(files).map(({ path, outcome, code }) => [outcome, nameOf(path), code].filter(Boolean).join(" "));
}

function records(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.map(asRecord) : [];
}

function nameOf(path: unknown): string {
  return String(path).slice(agent.cwd.length + 1);
}

function idOf(frames: readonly Frame[], index = 0): string {
  return String(frames.filter(({ type }) => type === "tool_execution_start")[index]?.toolCallId);
}

async function entryIds(): Promise<string[]> {
  return records((await agent.call("list_checkpoints")).checkpoints).map(({ entryId }) => String(entryId));
}

describe("changes of the agent", () => {
  it("are listed by file, by call and by message, and told as events", async () => {
    put("a.txt", LINES);
    put("gone.txt", "old\n");
    const first = await run(
      "One",
      edit("a.txt", "line 2\n", "LINE 2\n"),
      toolCall("write", { path: "new.txt", content: "1\n2\n" }),
    );
    await run("Two", bash("rm gone.txt; sed -i 's/^line 9$/LINE 9/' a.txt; chmod +x new.txt; ls"));
    expect(await listed()).toEqual(["modified a.txt +2 -2", "deleted gone.txt +0 -1", "created new.txt +2 -0"]);
    const [one, two] = await entryIds();
    expect(await listed({ entryId: one })).toEqual(["modified a.txt +1 -1", "created new.txt +2 -0"]);
    expect(await listed({ entryId: two })).toEqual([
      "modified a.txt +1 -1",
      "deleted gone.txt +0 -1",
      "modified new.txt +0 -0",
    ]);
    expect(await listed({ toolCallId: idOf(first) })).toEqual(["modified a.txt +1 -1"]);
    const events = agent.frames.filter(({ type }) => type === "changes_update");
    expect(events[0]).toEqual({
      ...{ type: "changes_update", reason: "recorded", toolCallId: idOf(first) },
      ...{ paths: [place("a.txt")], count: 1 },
    });
    expect(events).toHaveLength(3);
  });

  it("are not recorded for a call that only reads, and nothing is stored", async () => {
    put("a.txt", LINES);
    await run("Look", toolCall("read", { path: "a.txt" }), bash("cat a.txt | head -1"));
    expect(await listed()).toEqual([]);
    expect(
      readdirSync(join(agent.agentDir, "sessions"), { recursive: true }).filter((name) =>
        /changes|changed/.test(String(name)),
      ),
    ).toEqual([]);
  });

  it("are shown with both sides and hunks, each of which can be kept or undone", async () => {
    put("a.txt", LINES);
    await run("Go", bash("sed -i 's/^line 2$/LINE 2/; s/^line 18$/LINE 18/' a.txt"));
    const shown = await agent.call("get_change", { path: place("a.txt") });
    const hunks = records(shown.hunks);
    expect(hunks).toMatchObject([
      { beforeLine: 2, before: ["line 2\n"], afterLine: 2, after: ["LINE 2\n"] },
      { beforeLine: 18, before: ["line 18\n"], afterLine: 18, after: ["LINE 18\n"] },
    ]);
    expect(shown.before).toMatchObject({ kind: "text", text: LINES });
    const [first, second] = hunks;
    put("a.txt", `mine\n${read("a.txt")}`);
    const moved = records((await agent.call("get_change", { path: place("a.txt") })).hunks);
    expect(await undone({ paths: [place("a.txt")], hunkId: moved[1]?.id })).toEqual(["undone a.txt"]);
    expect(read("a.txt")).toBe(`mine\n${LINES.replace("line 2\n", "LINE 2\n")}`);
    await agent.call("keep_changes", { paths: [place("a.txt")], hunkId: moved[0]?.id });
    expect(await listed()).toEqual([]);
    const again = await agent.request("undo_changes", { paths: [place("a.txt")], hunkId: first?.id });
    expect(again).toMatchObject({ success: false, code: "not_found" });
    expect(second?.id).not.toBe(first?.id);
  });

  it("are undone only where nobody has changed the file since, and merged if the host wants that", async () => {
    put("a.txt", LINES);
    put("b.txt", LINES);
    put("c.txt", LINES);
    await run("Go", bash("sed -i 's/^line 5$/LINE 5/' a.txt b.txt c.txt"));
    put("a.txt", `${read("a.txt")}mine\n`);
    put("b.txt", read("b.txt").replace("LINE 5", "my line 5"));
    expect(await undone()).toEqual(["refused a.txt changed_since", "refused b.txt conflict", "undone c.txt"]);
    expect(read("a.txt")).toBe(`${LINES.replace("line 5\n", "LINE 5\n")}mine\n`);
    expect(await undone({ merge: true })).toEqual(["merged a.txt", "refused b.txt conflict"]);
    expect(read("a.txt")).toBe(`${LINES}mine\n`);
    expect(read("b.txt")).toBe(LINES.replace("line 5\n", "my line 5\n"));
    expect(read("c.txt")).toBe(LINES);
  });

  it("that deleted files are undone with permissions and times", async () => {
    mkdirSync(place("dir"), { mode: 0o700 });
    put("dir/run.sh", "echo\n");
    chmodSync(place("dir/run.sh"), 0o750);
    utimesSync(place("dir/run.sh"), 1_000_000, 1_000_000);
    await run("Go", bash("rm -r dir"));
    expect(await undone()).toEqual(["undone dir/run.sh"]);
    expect(statSync(place("dir")).mode & 0o777).toBe(0o700);
    const { mode, mtimeMs } = statSync(place("dir/run.sh"));
    expect([mode & 0o777, mtimeMs]).toEqual([0o750, 1_000_000_000]);
  });

  it("are undone in the file that was renamed afterwards, and a rename is told", async () => {
    put("a.txt", LINES);
    const first = await run("One", edit("a.txt", "line 2\n", "LINE 2\n"));
    await run("Two", bash("mv a.txt b.txt"));
    const { files } = await agent.call("get_changes", { entryId: (await entryIds())[1] });
    expect(records(files).map(({ path, renamedFrom }) => [path, renamedFrom])).toEqual([
      [place("a.txt"), undefined],
      [place("b.txt"), place("a.txt")],
    ]);
    expect(await undone({ toolCallId: idOf(first) })).toEqual(["undone b.txt"]);
    expect(read("b.txt")).toBe(LINES);
    expect(existsSync(place("a.txt"))).toBe(false);
  });

  it("are never written through a link that leads elsewhere", async () => {
    const elsewhere = join(agent.agentDir, "elsewhere");
    mkdirSync(elsewhere);
    mkdirSync(place("dir"));
    put("dir/a.txt", "old\n");
    await run("Go", bash("rm dir/a.txt"));
    rmSync(place("dir"), { recursive: true });
    symlinkSync(elsewhere, place("dir"));
    expect(await undone()).toEqual(["refused dir/a.txt failed"]);
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  it("of files outside the workspace that a command names are undone, too", async () => {
    const outside = join(agent.agentDir, "notes.txt");
    writeFileSync(outside, "precious\n");
    await run("Go", bash(`rm ${outside}`));
    expect(existsSync(outside)).toBe(false);
    await agent.call("undo_changes");
    expect(readFileSync(outside, "utf8")).toBe("precious\n");
  });

  it("are restored to a message of the user: files, conversation, or both", async () => {
    put("a.txt", LINES);
    await run("One", edit("a.txt", "line 1\n", "LINE 1\n"));
    await run("Two", bash("sed -i 's/^line 2$/LINE 2/' a.txt; echo > made.txt"));
    await run("Three", edit("a.txt", "line 3\n", "LINE 3\n"));
    const { checkpoints } = await agent.call("list_checkpoints");
    expect(records(checkpoints).map(({ text, files }) => [text, files])).toEqual([
      ["One", 1],
      ["Two", 2],
      ["Three", 1],
    ]);
    const [one, two, three] = await entryIds();
    expect(await agent.call("restore_checkpoint", { entryId: three, what: "files" })).toMatchObject({
      cancelled: false,
    });
    expect(read("a.txt")).toBe(LINES.replace("line 1\n", "LINE 1\n").replace("line 2\n", "LINE 2\n"));
    expect(await entryIds()).toHaveLength(3);
    expect(await agent.call("restore_checkpoint", { entryId: two, what: "both" })).toMatchObject({
      ...{ cancelled: false, text: "Two" },
      files: [{ outcome: "undone" }, { outcome: "undone" }],
    });
    expect([read("a.txt"), existsSync(place("made.txt"))]).toEqual([LINES.replace("line 1\n", "LINE 1\n"), false]);
    expect(await entryIds()).toEqual([one]);
    // The copy of the session knows the changes of the calls that it has.
    expect(await listed({ entryId: one })).toEqual(["modified a.txt +1 -1"]);
    put("a.txt", read("a.txt").replace("LINE 1", "my line 1"));
    expect(await agent.call("restore_checkpoint", { entryId: one, what: "both" })).toMatchObject({
      ...{ cancelled: true, files: [{ outcome: "refused", code: "conflict" }] },
    });
    expect(await entryIds()).toEqual([one]);
  });

  it("are still there for the next process, and undo is refused during a run", async () => {
    put("a.txt", LINES);
    await run("One", bash("sed -i 's/^line 2$/LINE 2/' a.txt"));
    const { sessionFile } = await agent.call("get_state");
    await agent.end();
    const next = new AgentUnderTest({
      ...{ modelUrl: model.url, cwd: agent.cwd, agentDir: agent.agentDir },
      args: ["--session", String(sessionFile)],
    });
    try {
      const { files } = await next.call("get_changes");
      expect(records(files)).toMatchObject([{ kind: "modified", added: 1, removed: 1 }]);
      model.enqueue(reply([bash("sleep 60")]));
      await next.call("prompt", { message: "Wait" });
      await next.waitFor(({ type }) => type === "tool_execution_start");
      expect(await next.request("undo_changes")).toMatchObject({ success: false, code: "busy" });
      await next.call("abort");
      await next.call("undo_changes");
      expect(read("a.txt")).toBe(LINES);
    } finally {
      await next.dispose();
    }
  });

  it("are left to a host that records them", async () => {
    await agent.call("set_host_tools", { tools: [], recordsChanges: true });
    await run("One", toolCall("write", { path: "a.txt", content: "1\n" }), bash("echo 2 > b.txt"));
    expect(await listed()).toEqual([]);
    await agent.call("set_host_tools", { tools: [] });
    await run("Two", bash("echo 2 > c.txt"));
    expect(await listed()).toEqual(["created c.txt +1 -0"]);
  });

  it.each([
    ["get_change", { path: "/nowhere" }, "not_found"],
    ["get_changes", { entryId: "e", toolCallId: "t" }, "invalid_request"],
    ["get_changes", { entryId: "nobody" }, "not_found"],
    ["undo_changes", { hunkId: "x" }, "invalid_request"],
    ["keep_changes", { paths: [] }, "invalid_request"],
    ["restore_checkpoint", { entryId: "nobody", what: "files" }, "not_found"],
    ["restore_checkpoint", { entryId: "nobody", what: "everything" }, "invalid_request"],
  ])("that do not exist are an error with a reason: %s %j", async (type, fields, code) => {
    const answer = await agent.request(type, fields);
    expect(answer).toMatchObject({ success: false, code });
    expect(String(answer.error).length).toBeGreaterThan(10);
  });
});
