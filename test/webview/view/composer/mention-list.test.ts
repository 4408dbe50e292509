import { describe, expect, it } from "vitest";
import type { ContextAttachment } from "../../../../webview/protocol/context.ts";
import type { PanelMention } from "../../../../webview/protocol/to-panel.ts";
import { usePage } from "../../support/use-page.ts";

const panel = usePage();
const MATCHES: PanelMention[] = [
  {
    insert: "@problems",
    label: "@problems",
    detail: "Errors and warnings",
    isFolder: false,
    word: "problems",
  },
  { insert: "@src/date.ts", label: "src/date.ts", detail: "", isFolder: false },
  { insert: "@src/", label: "src/", detail: "", isFolder: true },
];
const PROBLEMS: ContextAttachment = {
  kind: "context",
  id: "c1",
  mark: "@problems",
  source: { kind: "problems" },
  label: "2 problems",
  detail: "2 lines, 37 B",
  note: "",
};
const sent = async () => (await panel().posts()).filter((post) => post.type === "prompt");
const message = () => panel().page.getByRole("textbox", { name: "Message" });
const list = () => panel().page.getByRole("listbox", { name: "Files and context" });
const asked = async () => (await panel().posts()).flatMap((post) => (post.type === "listMentions" ? [post] : []));
const press = (key: string) => panel().page.keyboard.press(key);

async function open(text: string): Promise<void> {
  await panel().snapshot([]);
  await message().focus();
  await panel().page.keyboard.type(text);
  await answer(text.lastIndexOf("@"), text.length);
}
async function answer(start: number, end: number, matches = MATCHES): Promise<void> {
  const request = (await asked()).at(-1)?.request ?? 0;
  await panel().send({ type: "mentions", request, start, end, matches });
}

describe("mentions", () => {
  it("are searched at an @, selected with arrows, and inserted with Enter, which does not send", async () => {
    await open("see @da");
    expect((await asked()).at(-1)).toMatchObject({ text: "see @da", caret: 7 });
    expect(await list().getByRole("option").allTextContents()).toEqual([
      "@problems Errors and warnings",
      "src/date.ts ",
      "src/ ",
    ]);
    await press("ArrowDown");
    await press("Enter");
    expect(await message().inputValue()).toBe("see @src/date.ts ");
    expect(await list().count()).toBe(0);
    expect((await panel().posts()).filter((post) => post.type === "prompt")).toEqual([]);
  });

  it("add no second space, and none before a bracket", async () => {
    await open("(@s");
    await panel().page.keyboard.type(")");
    await press("ArrowLeft");
    await answer(1, 3, [{ insert: "@src/date.ts", label: "src/date.ts", detail: "", isFolder: false }]);
    await press("Enter");
    expect(await message().inputValue()).toBe("(@src/date.ts)");
  });

  it("of folders continue inside them", async () => {
    await open("@s");
    await press("ArrowUp");
    await press("Tab");
    expect(await message().inputValue()).toBe("@src/");
    expect((await asked()).at(-1)).toMatchObject({ text: "@src/", caret: 5 });
  });

  it("of editor data become chips beside their word, and are read when the message is sent", async () => {
    await open("fix @pro");
    await press("Enter");
    expect(await message().inputValue()).toBe("fix @problems ");
    const taken = (await panel().posts()).filter((post) => post.type === "takeContext");
    expect(taken).toEqual([{ type: "takeContext", word: "problems", mark: "@problems" }]);
    await panel().send({ type: "addContexts", contexts: [PROBLEMS] });
    await panel().page.getByRole("button", { name: "2 problems 2 lines, 37 B" }).waitFor();
    await press("Enter");
    expect(await sent()).toEqual([{ type: "prompt", text: "fix @problems ", delivery: "steer", contexts: [PROBLEMS] }]);
    expect(
      await panel()
        .page.getByRole("button", { name: /2 problems/ })
        .count(),
    ).toBe(0);
  });

  it("are removed with their word, and the word with its chip", async () => {
    await open("fix @pro");
    await press("Enter");
    await panel().send({ type: "addContexts", contexts: [PROBLEMS] });
    await panel().page.getByRole("button", { name: "Remove 2 problems" }).click();
    expect(await message().inputValue()).toBe("fix ");
    await press("Enter");
    expect(await sent()).toEqual([{ type: "prompt", text: "fix ", delivery: "steer" }]);
  });

  it("unfold to the content that would be sent, and can be frozen", async () => {
    await open("fix @pro");
    await press("Enter");
    await panel().send({ type: "addContexts", contexts: [PROBLEMS] });
    await panel()
      .page.getByRole("button", { name: /^2 problems/ })
      .click();
    expect((await panel().posts()).at(-1)).toEqual({ type: "previewContext", id: "c1", source: { kind: "problems" } });
    const block = { meta: { kind: "problems", count: 1 }, content: "a.ts:1:2: error: no" } as const;
    const words = { label: "1 problem", detail: "1 line, 19 B", note: "" };
    await panel().send({ type: "contextPreview", id: "c1", block, ...words });
    const preview = panel().page.getByRole("region", { name: "What will be sent" });
    expect(await preview.locator("pre").textContent()).toBe("a.ts:1:2: error: no");
    await preview.getByRole("button", { name: "Keep as Shown" }).click();
    await preview.getByText("Sent exactly as shown here.").waitFor();
    await message().focus();
    await press("Enter");
    expect(await sent()).toEqual([
      {
        type: "prompt",
        text: "fix @problems ",
        delivery: "steer",
        contexts: [{ ...PROBLEMS, ...words, fixed: block }],
      },
    ]);
  });

  it("of a resource of an MCP server become a chip at once, and of a template continue", async () => {
    const source = { kind: "resource", server: "tracker", uri: "issue://17", name: "Crash" } as const;
    const mark = "@tracker:issue://17";
    const chip = {
      kind: "context",
      id: "r1",
      mark,
      source,
      label: "Crash",
      detail: "tracker",
      note: "issue://17",
    } as const;
    const row = { insert: mark, label: "Crash", detail: "tracker · issue://17", isFolder: false, isResource: true };
    const template = {
      insert: "@tracker:issue://by/",
      label: "By",
      detail: "tracker",
      isFolder: true,
      isResource: true,
    };
    await open("fix @tra");
    await answer(4, 8, [{ ...row, attachment: chip }, template]);
    expect(await list().locator(".codicon-database").count()).toBe(2);
    await press("Enter");
    expect(await message().inputValue()).toBe("fix @tracker:issue://17 ");
    await panel().page.getByRole("button", { name: "Crash tracker", exact: true }).waitFor();
    await panel().page.keyboard.type("@tra");
    await answer(24, 28, [template]);
    await press("Enter");
    expect(await message().inputValue()).toBe("fix @tracker:issue://17 @tracker:issue://by/");
    expect((await asked()).at(-1)).toMatchObject({ caret: 44 });
    await press("Escape");
    await press("Enter");
    expect(await sent()).toMatchObject([{ contexts: [{ mark, source }] }]);
  });

  it("close with Escape, which does not stop the run, and stay closed for the same @", async () => {
    await open("@s");
    await panel().patch([], { status: "running" });
    await press("Escape");
    expect(await list().count()).toBe(0);
    const before = (await asked()).length;
    await panel().page.keyboard.type("rc");
    expect((await asked()).length).toBe(before);
    expect((await panel().posts()).filter((post) => post.type === "stop")).toEqual([]);
  });

  it("that arrive too late are not shown", async () => {
    await panel().snapshot([]);
    await message().focus();
    await panel().page.keyboard.type("@s");
    const [first] = await asked();
    await panel().page.keyboard.type("r");
    await panel().send({ type: "mentions", request: first?.request ?? 0, start: 0, end: 2, matches: MATCHES });
    expect(await list().count()).toBe(0);
  });
});
