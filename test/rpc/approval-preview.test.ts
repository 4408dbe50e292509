import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answer, questionAbout } from "../support/approval-agent.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { AgentUnderTest } from "../support/spawn-agent.ts";

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
  it("comes with what would be changed, and nothing is changed before the answer", async () => {
    writeFileSync(file("a.txt"), "\ufeffone\r\ntwo\r\nthree\r\n");
    const edits = [{ oldText: "two", newText: "TWO\nand a half" }];
    const question = await questionAbout(agent, model, "edit", { path: "a.txt", edits });
    expect(question.preview).toEqual({
      path: file("a.txt"),
      diff: " 1 one\n-2 two\n+2 TWO\n+3 and a half\n 4 three",
      patch: "--- a.txt\n+++ a.txt\n@@ -1,3 +1,4 @@\n one\r\n-two\r\n+TWO\r\n+and a half\r\n three\r\n",
    });
    expect(readFileSync(file("a.txt"), "utf8")).toBe("\ufeffone\r\ntwo\r\nthree\r\n");
    await answer(agent, question, { value: "Allow once" });
    expect(readFileSync(file("a.txt"), "utf8")).toBe("\ufeffone\r\nTWO\r\nand a half\r\nthree\r\n");
  });

  it("says what a whole file would take the place of, also of nothing", async () => {
    writeFileSync(file("b.txt"), "one\ntwo\n");
    const over = await questionAbout(agent, model, "write", { path: "b.txt", content: "one\n2\n" });
    expect(over.preview).toMatchObject({ path: file("b.txt"), diff: " 1 one\n-2 two\n+2 2" });
    await answer(agent, over, { value: "Deny" });
    const made = await questionAbout(agent, model, "write", { path: "new/c.txt", content: "made\n" });
    expect(made.preview).toMatchObject({ path: file("new/c.txt"), diff: "+1 made" });
    await answer(agent, made, { value: "Deny" });
  });

  it("has no preview where the change does not fit or is no text, and the call says so itself", async () => {
    writeFileSync(file("d.txt"), "one\n");
    const edits = [{ oldText: "nowhere", newText: "x" }];
    const wrong = await questionAbout(agent, model, "edit", { path: "d.txt", edits });
    expect(wrong).not.toHaveProperty("preview");
    expect(await answer(agent, wrong, { value: "Allow once" })).toMatchObject({ isError: true });
    writeFileSync(file("e.bin"), Buffer.from([0xff, 0xfe, 0x00]));
    const binary = await questionAbout(agent, model, "write", { path: "e.bin", content: "text\n" });
    expect(binary).not.toHaveProperty("preview");
    await answer(agent, binary, { value: "Deny" });
  });
});
