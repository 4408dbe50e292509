import { describe, expect, it } from "vitest";
import type { TranscriptItem } from "../../../webview/protocol/items.ts";
import { inPage } from "../support/open-page.ts";
import { PLAN, QUESTION } from "../support/sample-items.ts";
import { usePage } from "../support/use-page.ts";

const panel = usePage();
const press = (...keys: string[]) =>
  keys.reduce((before, key) => before.then(() => panel().page.keyboard.press(key)), Promise.resolve());
const type = (text: string) => panel().page.keyboard.type(text);
const focused = () => inPage(panel().page, "focused");
const focusedName = () => inPage(panel().page, "focusedName");
const message = () => panel().page.getByRole("textbox", { name: "Message" });
const COMPOSER = "VSCODE-TEXT-AREA";

const TOOL: TranscriptItem = {
  id: "t",
  kind: "tool",
  toolName: "read",
  state: "done",
  intent: "src/date.ts",
  input: "",
  output: "export function parseDate() {}",
  isOutputCut: false,
  images: [],
  path: "/work/src/date.ts",
};
const ANSWER: TranscriptItem = {
  id: "a",
  kind: "text",
  text: "Use this:\n\n```ts\nconst a = 1;\n```\n",
  isStreaming: false,
};

describe("the keyboard alone", () => {
  it("is enough to ask, go to a tool card, open it, copy code, answer a question, and return to the composer", async () => {
    await panel().snapshot([]);
    // The editor's command that shows the chat puts the keyboard here.
    await panel().send({ type: "focusComposer" });
    await type("Where is the date parsed?");
    await press("Enter");
    expect(await panel().posts()).toContainEqual({
      type: "prompt",
      text: "Where is the date parsed?",
      delivery: "steer",
    });
    const prompt: TranscriptItem = { id: "p", kind: "prompt", text: "Where is the date parsed?", images: [] };
    await panel().patch([{ op: "upsert", item: prompt }], { status: "running" });
    for (const item of [TOOL, ANSWER]) await panel().patch([{ op: "upsert", item }]);
    await panel().patch([], { status: "idle" });
    expect(await focused()).toBe(COMPOSER);

    await press("Shift+F6", "Home");
    expect(await focused()).toBe("p");
    await press("ArrowDown");
    expect(await focused()).toBe("t");
    await press("Enter");
    const card = panel().page.getByRole("button", { name: /^read src\/date\.ts/ });
    expect(await card.getAttribute("aria-expanded")).toBe("true");
    await press("Tab");
    expect(await focusedName()).toMatch(/^read src\/date\.ts/);
    await press("Tab");
    expect(await focusedName()).toBe("Output");
    await press("Tab");
    expect(await focusedName()).toBe("Open File");
    await press("Enter");
    expect(await panel().posts()).toContainEqual({ type: "openFile", path: "/work/src/date.ts" });

    await press("ArrowDown");
    expect(await focused()).toBe("a");
    await press("Tab");
    expect(await focusedName()).toBe("Copy Code");
    await press("Enter");
    expect(await panel().posts()).toContainEqual({ type: "copy", text: "const a = 1;" });

    await panel().patch(
      QUESTION.map((item) => ({ op: "upsert", item })),
      { status: "running" },
    );
    expect(await focusedName()).toMatch(/^Cop/);
    await press("Alt+a");
    expect(await focusedName()).toBe("Allow once");
    await press("ArrowRight", "Enter");
    expect(await panel().posts()).toContainEqual({
      type: "answer",
      requestId: "r1",
      answer: { type: "value", value: "Allow for this session" },
    });
    expect(await focused()).toBe(COMPOSER);
  });

  it("cycles with F6 and Shift+F6: conversation, question, plan, text, its buttons", async () => {
    await panel().snapshot([TOOL, ...QUESTION], { status: "running", plan: PLAN });
    await message().focus();
    await press("Shift+F6");
    expect(await focusedName()).toMatch(/^Plan/);
    await press("Shift+F6");
    expect(await focusedName()).toBe("Allow once");
    await press("Shift+F6");
    expect(await inPage(panel().page, "isIn", ".transcript")).toBe(true);
    await press("Shift+F6");
    expect(await inPage(panel().page, "isIn", ".composer-tools")).toBe(true);
    await press("Shift+F6");
    expect(await focused()).toBe(COMPOSER);
    await press("F6", "F6", "F6", "F6", "F6");
    expect(await focused()).toBe(COMPOSER);
    await press("F6", "Escape");
    expect(await focused()).toBe(COMPOSER);
  });

  it("reaches the last answer by command, and the agent never takes the focus away", async () => {
    await panel().snapshot([TOOL, ANSWER]);
    await panel().send({ type: "reveal", id: "a" });
    expect(await focused()).toBe("a");
    await panel().patch([...QUESTION.map((item) => ({ op: "upsert" as const, item }))], { status: "running" });
    await panel().patch([{ op: "upsert", item: { ...ANSWER, id: "b", isStreaming: true } }]);
    await panel().patch([{ op: "append", id: "b", text: "more" }], { status: "idle" });
    expect(await focused()).toBe("a");
  });
});

describe("an input method", () => {
  async function compose(): Promise<{ commit(text: string): Promise<unknown> }> {
    const session = await panel().page.context().newCDPSession(panel().page);
    await session.send("Input.imeSetComposition", { text: "にほ", selectionStart: 2, selectionEnd: 2 });
    return {
      async commit(text) {
        // The key that commits is told of with the code of a key that is being processed, as Chromium does on all systems.
        await session.send("Input.dispatchKeyEvent", {
          type: "rawKeyDown",
          key: "Process",
          code: "Enter",
          windowsVirtualKeyCode: 229,
        });
        await session.send("Input.insertText", { text });
      },
    };
  }
  const posted = async (...types: string[]) => (await panel().posts()).filter((post) => types.includes(post.type));

  it("keeps Enter and Escape to itself in the composer while it composes", async () => {
    await panel().snapshot([], { status: "running" });
    await message().focus();
    const { commit } = await compose();
    await inPage(panel().page, "watchComposing");
    await press("Enter", "Escape");
    expect(await panel().page.evaluate("testSide.composingKeys")).toEqual(["Enter", "Escape"]);
    expect(await posted("prompt", "stop")).toEqual([]);
    await message().fill("");
    await compose();
    await commit("日本");
    await panel().settle();
    expect(await posted("prompt", "stop")).toEqual([]);
    expect(await message().inputValue()).toBe("日本");
    await press("Enter");
    expect(await posted("prompt")).toEqual([{ type: "prompt", text: "日本", delivery: "steer" }]);
  });

  it("keeps Enter to itself in the answer to a question and in a queued message", async () => {
    const question: TranscriptItem = {
      id: "q",
      kind: "question",
      requestId: "r",
      method: "input",
      title: "Name?",
      options: [],
      state: "pending",
    };
    await panel().snapshot([question], { status: "running", steering: ["old"] });
    await message().focus();
    await press("Alt+a");
    let ime = await compose();
    await ime.commit("名");
    await panel().settle();
    expect(await posted("answer")).toEqual([]);
    await press("Enter");
    expect(await posted("answer")).toEqual([
      { type: "answer", requestId: "r", answer: { type: "value", value: "名" } },
    ]);
    await panel().page.getByRole("button", { name: /^Edit/ }).first().press("Enter");
    ime = await compose();
    await ime.commit("語");
    await panel().settle();
    expect(await posted("editQueue")).toEqual([]);
  });
});
