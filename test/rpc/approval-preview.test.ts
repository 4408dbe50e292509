import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answer, questionAbout } from "../support/approval-agent.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { AgentUnderTest, asRecord } from "../support/spawn-agent.ts";

let model: ScriptedModel;
let agent: AgentUnderTest;

beforeEach(async () => {
  model = await ScriptedModel.start();
  agent = new AgentUnderTest({ modelUrl: model.url, args: ["--no-session", "--permission-mode", "confirm"] });
});

afterEach(async () => {
  await agent.dispose();
  await model.stop();
});

const file = (name: string) => join(agent.cwd, name);

describe("the question whether a file may be changed", () => {
  it("shows the proposed change, and nothing changes before the answer", async () => {
    writeFileSync(file("a.txt"), "\ufeffone\r\ntwo\r\nthree\r\n");
    const edits = [{ oldText: "two", newText: "TWO\nand a half" }];
    const question = await questionAbout(agent, model, "edit", { path: "a.txt", edits });
    expect(asRecord(question.approval).preview).toEqual({
      path: file("a.txt"),
      diff: " 1 one\n-2 two\n+2 TWO\n+3 and a half\n 4 three",
      patch: "--- a.txt\n+++ a.txt\n@@ -1,3 +1,4 @@\n one\r\n-two\r\n+TWO\r\n+and a half\r\n three\r\n",
    });
    expect(readFileSync(file("a.txt"), "utf8")).toBe("\ufeffone\r\ntwo\r\nthree\r\n");
    await answer(agent, question, { value: "Allow once" });
    expect(readFileSync(file("a.txt"), "utf8")).toBe("\ufeffone\r\nTWO\r\nand a half\r\nthree\r\n");
  });

  it("shows which content a whole-file write replaces, even when the file is new", async () => {
    writeFileSync(file("b.txt"), "one\ntwo\n");
    const over = await questionAbout(agent, model, "write", { path: "b.txt", content: "one\n2\n" });
    expect(asRecord(over.approval).preview).toMatchObject({ path: file("b.txt"), diff: " 1 one\n-2 two\n+2 2" });
    await answer(agent, over, { value: "Deny" });
    const made = await questionAbout(agent, model, "write", { path: "new/c.txt", content: "made\n" });
    expect(asRecord(made.approval).preview).toMatchObject({ path: file("new/c.txt"), diff: "+1 made" });
    await answer(agent, made, { value: "Deny" });
  });

  it("has no preview when the change does not fit or is binary, and the call itself reports that", async () => {
    writeFileSync(file("d.txt"), "one\n");
    const edits = [{ oldText: "nowhere", newText: "x" }];
    const wrong = await questionAbout(agent, model, "edit", { path: "d.txt", edits });
    expect(wrong.approval).not.toHaveProperty("preview");
    expect(await answer(agent, wrong, { value: "Allow once" })).toMatchObject({ isError: true });
    writeFileSync(file("e.bin"), Buffer.from([0xff, 0xfe, 0x00]));
    const binary = await questionAbout(agent, model, "write", { path: "e.bin", content: "text\n" });
    expect(binary.approval).not.toHaveProperty("preview");
    await answer(agent, binary, { value: "Deny" });
  });
});

const contentOf = (name: string) => readFileSync(file(name), "utf8");
const edits = [{ oldText: "two", newText: "TWO" }];

describe("a proposed change that the user edits before accepting it", () => {
  it("is written as the user edited it, and the model learns what they changed", async () => {
    writeFileSync(file("a.txt"), "one\ntwo\nthree\n");
    const question = await questionAbout(agent, model, "edit", { path: "a.txt", edits });
    const edited = { before: "one\ntwo\nthree\n", after: "one\nTwo!\nthree\n" };
    const end = await answer(agent, question, { value: "Allow once", edited });
    expect(contentOf("a.txt")).toBe("one\nTwo!\nthree\n");
    expect(agent.frames.find(({ type }) => type === "tool_execution_end")).toMatchObject({
      result: { details: { diff: " 1 one\n-2 two\n+2 Two!\n 3 three" } },
    });
    expect(end).toMatchObject({ isError: false });
    expect(end.text).toContain("The user edited your proposal before accepting it; keep what they changed.");
    expect(end.text).toContain("-TWO\n+Two!");
  });

  it("keeps line endings and the byte order mark, which the user does not see", async () => {
    writeFileSync(file("b.txt"), "\ufeffone\r\ntwo\nthree\r\n");
    const question = await questionAbout(agent, model, "edit", { path: "b.txt", edits });
    const edited = { before: "one\ntwo\nthree\n", after: "one\nTWO\nthree and\nfour\n" };
    await answer(agent, question, { value: "Allow once", edited });
    expect(contentOf("b.txt")).toBe("\ufeffone\r\nTWO\nthree and\r\nfour\r\n");
  });

  it("can create a file or replace a whole one", async () => {
    const made = await questionAbout(agent, model, "write", { path: "c.txt", content: "made\n" });
    await answer(agent, made, { value: "Allow once", edited: { before: "", after: "made by two\n" } });
    expect(contentOf("c.txt")).toBe("made by two\n");
    const over = await questionAbout(agent, model, "write", { path: "c.txt", content: "over\n" });
    const end = await answer(agent, over, {
      value: "Allow once",
      edited: { before: "made by two\n", after: "over\nand out\n" },
    });
    expect(contentOf("c.txt")).toBe("over\nand out\n");
    expect(end.text).toContain("+and out");
  });

  it("is refused when the file has changed since, and the model learns what the user wanted", async () => {
    writeFileSync(file("d.txt"), "one\ntwo\n");
    const question = await questionAbout(agent, model, "edit", { path: "d.txt", edits });
    writeFileSync(file("d.txt"), "zero\none\ntwo\n");
    const edited = { before: "one\ntwo\n", after: "one\nmine\n" };
    const end = await answer(agent, question, { value: "Allow once", edited });
    expect(contentOf("d.txt")).toBe("zero\none\ntwo\n");
    expect(end).toMatchObject({ isError: true });
    expect(end.text).toContain("changed while the user was reviewing the proposal");
    expect(end.text).toContain("+mine");
  });

  it("counts as refused when nothing of it is left or it cannot be read", async () => {
    writeFileSync(file("e.txt"), "one\ntwo\n");
    const undone = await questionAbout(agent, model, "edit", { path: "e.txt", edits });
    const edited = { before: "one\ntwo\n", after: "one\ntwo\n" };
    const end = await answer(agent, undone, { value: "Allow once", edited });
    expect(end).toMatchObject({ isError: true });
    expect(end.text).toContain("Blocked by user: edit. They undid the entire proposed change");
    const broken = await questionAbout(agent, model, "edit", { path: "e.txt", edits });
    expect(await answer(agent, broken, { value: "Allow once", edited: "one\nmine\n" })).toMatchObject({
      isError: true,
    });
    expect(contentOf("e.txt")).toBe("one\ntwo\n");
  });

  it("is not reported to the model when the user left it unchanged", async () => {
    writeFileSync(file("f.txt"), "one\ntwo\n");
    const question = await questionAbout(agent, model, "edit", { path: "f.txt", edits });
    const edited = { before: "one\ntwo\n", after: "one\nTWO\n" };
    const end = await answer(agent, question, { value: "Allow once", edited });
    expect(contentOf("f.txt")).toBe("one\nTWO\n");
    expect(end.text).not.toContain("The user edited");
  });

  it("survives a detour to another rule: the next question shows the edited change", async () => {
    writeFileSync(file("g.txt"), "one\ntwo\n");
    const first = await questionAbout(agent, model, "edit", { path: "g.txt", edits });
    const edited = { before: "one\ntwo\n", after: "one\nmine\n" };
    agent.send({ type: "extension_ui_response", id: first.id, value: "Change the rule…", edited });
    const rule = await agent.waitFor((frame) => frame.method === "editor");
    agent.send({ type: "extension_ui_response", id: rule.id, value: "*.txt" });
    const second = await agent.waitFor((frame) => frame.method === "select" && frame.id !== first.id);
    expect(asRecord(second.approval).preview).toMatchObject({ diff: " 1 one\n-2 two\n+2 mine" });
    await answer(agent, second, { value: "Allow once" });
    expect(contentOf("g.txt")).toBe("one\nmine\n");
  });
});
