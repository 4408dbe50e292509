import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answer, callUnasked, type Outcome, questionAbout } from "../support/approval-agent.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { AgentUnderTest, asRecord, type Frame } from "../support/spawn-agent.ts";

const NOTES = "untitled:Notes";
const BUFFER = { name: "host_buffer", description: "For the agent itself.", parameters: {}, hidden: true };
const BEFORE = { name: "host_before_change", description: "For the agent itself.", parameters: {}, hidden: true };

/** An editor with documents that are in no file; the version of each counts its changes. */
class ScriptedEditor {
  readonly documents = new Map<string, { text: string; version: number }>();
  readonly asked: Record<string, unknown>[] = [];
  /** The user's action right after the agent has read the text. */
  afterOpen: () => void = () => undefined;
  readonly #agent: AgentUnderTest;

  constructor(agent: AgentUnderTest) {
    this.#agent = agent;
  }

  async register(): Promise<void> {
    await this.#agent.call("set_host_tools", { tools: [BUFFER, BEFORE] });
    let next = this.#agent.frames.length;
    this.#agent.child.stdout.on("data", () => {
      for (const frame of this.#agent.frames.slice(next)) if (frame.type === "host_tool_call") this.#answer(frame);
      next = this.#agent.frames.length;
    });
  }

  type(address: string, text: string): void {
    this.documents.set(address, { text, version: (this.documents.get(address)?.version ?? 0) + 1 });
  }

  textOf(address: string): string | undefined {
    return this.documents.get(address)?.text;
  }

  #answer({ id, toolName, arguments: args }: Frame): void {
    const call = { toolName, ...asRecord(args) };
    this.asked.push(call);
    this.#agent.send({ type: "host_tool_result", id, ...this.#run(call) });
  }

  #run({ op, uri, text, version }: Record<string, unknown>): object {
    const address = String(uri);
    const document = this.documents.get(address);
    if (op === "open") {
      const details = { writable: true, ...(document ?? { text: "", version: 0, missing: true }) };
      if (address.startsWith("memfs:/gone/")) return { isError: true, result: "The editor can't open it." };
      const isGit = address.startsWith("git:");
      queueMicrotask(this.afterOpen);
      return {
        result: {
          content: [],
          details: isGit ? { text: "old\n", version: 1, writable: false, reason: "Change /x/a.ts." } : details,
        },
      };
    }
    if (op !== "change") return { result: { content: [] } };
    if ((document?.version ?? 0) !== version) return { isError: true, result: "The user changed it in the meantime." };
    this.type(address, String(text));
    return { result: { content: [] } };
  }
}

let model: ScriptedModel;
let agent: AgentUnderTest;
let editor: ScriptedEditor;

beforeEach(async () => {
  model = await ScriptedModel.start();
});

afterEach(async () => {
  await agent.dispose();
  await model.stop();
});

async function start(mode = "auto"): Promise<void> {
  agent = new AgentUnderTest({ modelUrl: model.url, args: ["--no-session", "--permission-mode", mode] });
  editor = new ScriptedEditor(agent);
  await editor.register();
}

const write = (path: string, content: string) => callUnasked(agent, model, "write", { path, content });
const read = (path: string, lines: { offset?: number; limit?: number } = {}) =>
  callUnasked(agent, model, "read", { path, ...lines });
const edit = (path: string, oldText: string, newText: string): Promise<Outcome> =>
  callUnasked(agent, model, "edit", { path, edits: [{ oldText, newText }] });

describe("edit and write by address", () => {
  it("create and change a document in the editor, and no file", async () => {
    await start();
    expect(await write(NOTES, "one\ntwo\n")).toMatchObject({
      isError: false,
      text: "Successfully wrote 8 bytes to untitled:Notes",
    });
    expect(await edit(NOTES, "two", "three")).toMatchObject({ isError: false });
    expect(await write(NOTES, "all new\n")).toMatchObject({ isError: false });
    expect(editor.documents.get(NOTES)).toEqual({ text: "all new\n", version: 3 });
    expect(readdirSync(agent.cwd)).toEqual([]);
    expect(editor.asked.filter(({ toolName }) => toolName === "host_before_change")).toEqual([]);
  });

  it("match an edit against the current text, so that what the user typed since stays", async () => {
    await start();
    editor.type(NOTES, "one\ntwo\n");
    await read(NOTES);
    editor.type(NOTES, "mine\none\ntwo\n");
    expect(await edit(NOTES, "two", "three")).toMatchObject({ isError: false });
    expect(editor.textOf(NOTES)).toBe("mine\none\nthree\n");
    editor.type(NOTES, "mine\n");
    expect(await edit(NOTES, "three", "four")).toMatchObject({ isError: true });
    expect(editor.textOf(NOTES)).toBe("mine\n");
  });

  it("write nothing when the user types between reading and changing", async () => {
    await start();
    editor.type(NOTES, "one\n");
    await read(NOTES);
    const before = editor.asked.length;
    editor.afterOpen = () => {
      if (editor.asked.length === before + 2) editor.type(NOTES, "one\nmine\n");
    };
    expect(await edit(NOTES, "one", "two")).toEqual({
      isAsked: false,
      isError: true,
      text: "The user changed it in the meantime.",
    });
    expect(editor.textOf(NOTES)).toBe("one\nmine\n");
  });

  it("never replace a text until the model has read all of its lines", async () => {
    await start();
    editor.type(NOTES, "one\ntwo\nthree\n");
    const refused = { isError: true, text: expect.stringContaining("has text that you have not read") };
    await read(NOTES, { limit: 1 });
    expect(await write(NOTES, "yours\n")).toMatchObject(refused);
    await read(NOTES, { offset: 3 });
    expect(await write(NOTES, "yours\n")).toMatchObject(refused);
    await read(NOTES, { offset: 2, limit: 1 });
    expect(await write(NOTES, "yours\n")).toMatchObject({ isError: false });
    editor.type(NOTES, `${"long ".repeat(12_000)}\nend\n`);
    await read(NOTES);
    await read(NOTES, { offset: 2 });
    expect(await write(NOTES, "yours\n")).toMatchObject(refused);
  });

  it("never replace a text that the model has not read", async () => {
    await start();
    editor.type(NOTES, "mine\n");
    const refused = { isError: true, text: expect.stringContaining("has text that you have not read") };
    expect(await write(NOTES, "yours\n")).toMatchObject(refused);
    expect(await edit(NOTES, "mine", "ours")).toMatchObject({ isError: false });
    expect(await write(NOTES, "yours\n")).toMatchObject(refused);
    await read(NOTES);
    editor.type(NOTES, "ours\nand more\n");
    expect(await write(NOTES, "yours\n")).toMatchObject(refused);
    expect(editor.textOf(NOTES)).toBe("ours\nand more\n");
    await read(NOTES);
    expect(await write(NOTES, "yours\n")).toMatchObject({ isError: false });
    expect(editor.textOf(NOTES)).toBe("yours\n");
  });

  it("tell the model why a document is read-only or cannot be opened", async () => {
    await start();
    expect(await edit("git:/x/a.ts?HEAD", "old", "new")).toMatchObject({
      isError: true,
      text: "Could not change git:/x/a.ts?HEAD. Change /x/a.ts.",
    });
    expect(await write("git:/x/a.ts?HEAD", "new")).toMatchObject({ isError: true });
    expect(await write("memfs:/gone/a", "new")).toMatchObject({ isError: true, text: "The editor can't open it." });
    expect(await read("untitled:Nothing")).toMatchObject({ isError: true, text: "Not found: untitled:Nothing" });
    expect(editor.asked.some(({ op }) => op === "change")).toBe(false);
  });

  it("use the disk for files that are named like an address, and for addresses that lead up", async () => {
    await start();
    writeFileSync(join(agent.cwd, "log:today"), "one\n");
    expect(await edit("log:today", "one", "two")).toMatchObject({ isError: false });
    expect(await write("./log:tomorrow", "new\n")).toMatchObject({ isError: false });
    expect(await write("untitled:a/../up.txt", "new\n")).toMatchObject({ isError: false });
    expect(readdirSync(agent.cwd).toSorted()).toEqual(["log:today", "log:tomorrow", "up.txt"]);
    expect(editor.documents.size).toBe(0);
  });

  it("refuse an escaped .. in an address, since a rule for a folder would then cover files outside it", async () => {
    await start();
    for (const way of ["%2e%2E/", ".%2e/", "..%2f", "%5c../"]) {
      expect(await write(`memfs:/a/${way}b.txt`, "new\n")).toMatchObject({ isError: false });
    }
    expect(editor.documents.size).toBe(0);
    expect(await write("memfs:/a/b%2etxt", "new\n")).toMatchObject({ isError: false });
    expect([...editor.documents.keys()]).toEqual(["memfs:/a/b%2etxt"]);
  });

  it("create a file of that name when no editor takes part", async () => {
    agent = new AgentUnderTest({ modelUrl: model.url });
    expect(await write("log:today", "new\n")).toMatchObject({ isError: false });
    expect(existsSync(join(agent.cwd, "log:today"))).toBe(true);
  });
});

describe("the approval of a change by address", () => {
  const args = { path: NOTES, content: "one\ntwo\n" };

  it("shows the proposed change, and its rule also covers other new documents of the session", async () => {
    await start("confirm");
    editor.type(NOTES, "one\n");
    await read(NOTES);
    const question = await questionAbout(agent, model, "write", args);
    expect(question).toMatchObject({
      title: "Allow write? untitled:Notes",
      options: ["Allow once", "Allow for this session: write untitled:*", "Change the rule…", "Deny"],
      approval: { preview: { path: NOTES, patch: expect.stringContaining("+two") } },
    });
    await answer(agent, question, { value: "Allow for this session: write untitled:*" });
    expect(editor.textOf(NOTES)).toBe("one\ntwo\n");
    expect(await write("untitled:Other", "new\n")).toMatchObject({ isAsked: false, isError: false });
    const other = await questionAbout(agent, model, "write", { path: "memfs:/a.txt", content: "x" });
    expect(other).toMatchObject({
      title: "Allow write? memfs:/a.txt\nchanges a document outside the workspace: memfs:/a.txt",
      options: ["Allow once", "Allow for this session: write memfs:/a.txt", "Change the rule…", "Deny"],
    });
    await answer(agent, other, { value: "Deny" });
    expect(editor.textOf("memfs:/a.txt")).toBeUndefined();
  });

  it("applies to the text at the time it is given: what the user typed meanwhile stays", async () => {
    await start("confirm");
    editor.type(NOTES, "one\n");
    const change = { path: NOTES, edits: [{ oldText: "one", newText: "two" }] };
    const question = await questionAbout(agent, model, "edit", change);
    editor.type(NOTES, "one\nmine\n");
    expect(await answer(agent, question, { value: "Allow once" })).toMatchObject({ isError: false });
    expect(editor.textOf(NOTES)).toBe("two\nmine\n");
  });

  it("accepts the user's edits of the proposal", async () => {
    await start("confirm");
    editor.type(NOTES, "one\n");
    await read(NOTES);
    const question = await questionAbout(agent, model, "write", args);
    const edited = { before: "one\n", after: "one\n2\n" };
    const { isError, text } = await answer(agent, question, { value: "Allow once", edited });
    expect([isError, text]).toEqual([false, expect.stringContaining("The user edited your proposal")]);
    expect(editor.textOf(NOTES)).toBe("one\n2\n");
  });

  it("is needed for other documents, but not for new ones when files of the workspace need none", async () => {
    await start("auto-edit");
    expect(await write(NOTES, "one\n")).toMatchObject({ isAsked: false, isError: false });
    const question = await questionAbout(agent, model, "write", { path: "memfs:/a.txt", content: "x" });
    await answer(agent, question, { value: "Allow once" });
    expect(editor.textOf("memfs:/a.txt")).toBe("x");
  });

  it("is not requested when the editor would refuse the change, and never given in read-only mode", async () => {
    await start("confirm");
    expect(await write("git:/x/a.ts?HEAD", "new")).toMatchObject({ isAsked: false, isError: true });
    await agent.call("set_permission_mode", { mode: "readonly", enforce: true });
    expect(await write(NOTES, "one\n")).toMatchObject({ isAsked: false, isError: true });
    expect(editor.textOf(NOTES)).toBeUndefined();
  });
});
