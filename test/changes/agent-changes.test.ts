import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AgentTree, commitTree, plant, treeOf } from "../support/agent-tree.ts";

let tree: AgentTree;

beforeEach(async () => {
  tree = await AgentTree.open(async (folder) => {
    await plant(folder, { "a.txt": "one\n", "b.txt": "one\n", ".gitignore": "build/\n*.log\n", "debug.log": "log\n" });
    commitTree(folder);
  });
});

afterEach(() => tree.dispose());

const put = (name: string, text: string) => {
  mkdirSync(dirname(join(tree.folder, name)), { recursive: true });
  writeFileSync(join(tree.folder, name), text);
};

/** The pending changes as `kind name`. */
async function pending(): Promise<string[]> {
  const files = await (await tree.changes.record()).list({});
  return files.map(({ kind, path }) => `${kind} ${path.slice(tree.folder.length + 1)}`);
}

describe("the agent's recorder", () => {
  it("does not take changes of the user between two commands for the agent's", async () => {
    await tree.shell("echo two > a.txt");
    put("b.txt", "mine\n");
    put("mine/new.txt", "mine\n");
    await tree.shell("echo three >> b.txt; cat mine/new.txt");
    const record = await tree.changes.record();
    expect(await pending()).toEqual(["modified a.txt", "modified b.txt"]);
    await record.undo({});
    expect(readFileSync(join(tree.folder, "b.txt"), "utf8")).toBe("mine\n");
    expect(await pending()).toEqual([]);
  });

  it("records each of overlapping commands, and an edit during one as the edit's", async () => {
    let edit = "";
    const command = await tree.call(undefined, async () => {
      put("a.txt", "by the command\n");
      edit = await tree.call("b.txt", () => put("b.txt", "by the edit\n"));
    });
    const record = await tree.changes.record();
    const of = async (toolCallId: string) => (await record.list({ toolCallId })).map(({ path }) => path);
    expect(await of(command)).toEqual([join(tree.folder, "a.txt")]);
    expect(await of(edit)).toEqual([join(tree.folder, "b.txt")]);
  });

  it("misses nothing when a command makes more events than can be told, and leaves large ignored folders alone", async () => {
    const many = "mkdir -p many && for i in $(seq 1 3000); do echo $i > many/$i; done; rm -r many";
    const built = "mkdir -p build/x && for i in $(seq 1 300); do echo $i > build/x/$i; done";
    await tree.shell(`${built}; for n in 1 2; do ${many}; done; rm a.txt; echo new > new.txt`);
    await tree.shell("echo again > build/x/1; echo two > b.txt");
    expect(await pending()).toEqual(["deleted a.txt", "modified b.txt", "created new.txt"]);
    expect(tree.warnings).toEqual([]);
  });

  it("records ignored files, which a clean-up destroys, and says that they are ignored", async () => {
    await tree.shell("git clean -fdxq");
    const record = await tree.changes.record();
    expect(await record.list({})).toMatchObject([{ kind: "deleted", isIgnored: true }]);
    await record.undo({});
    expect(readFileSync(join(tree.folder, "debug.log"), "utf8")).toBe("log\n");
  });

  it("stores no content twice, and nothing that is not needed", async () => {
    await tree.shell("cp a.txt c.txt; cp a.txt d.txt");
    await tree.shell("rm c.txt d.txt");
    const folder = join(dirname(tree.sessionFile), "changed-files");
    const files = readdirSync(folder, { recursive: true }).filter((name) => String(name).includes("/"));
    expect(files).toHaveLength(1);
  });

  it("says once why it cannot record, and the agent goes on", async () => {
    writeFileSync(join(dirname(tree.sessionFile), "changed-files"), "in the way");
    await tree.shell("rm a.txt");
    await tree.shell("rm b.txt; echo two > c.txt");
    expect(tree.warnings).toEqual([expect.stringMatching(/^Couldn't record the agent's changes: E/)]);
    expect(tree.events.filter(({ reason }) => reason === "trouble")[0]?.trouble).toMatch(/^E/);
    expect(await treeOf(tree.folder)).toMatchObject({ "c.txt": "file 644 two\n" });
  });

  it("undoes the parts of a command that can be undone, and tells of the others", async () => {
    await tree.shell("echo two > a.txt; echo two > b.txt; rm debug.log; mkdir dir; echo > dir/c.txt");
    put("b.txt", "mine\n");
    put("dir/mine.txt", "mine\n");
    const undone = await (await tree.changes.record()).undo({});
    expect(undone.map(({ path, outcome, code }) => [path.slice(tree.folder.length + 1), outcome, code])).toEqual([
      ["a.txt", "undone", undefined],
      ["b.txt", "refused", "conflict"],
      ["debug.log", "undone", undefined],
      ["dir/c.txt", "undone", undefined],
    ]);
    expect(await treeOf(tree.folder)).toMatchObject({ "b.txt": "file 644 mine\n", "dir/mine.txt": "file 644 mine\n" });
  });
});
