import { statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { TranscriptItem } from "../../../webview/protocol/items.ts";
import { inPage, type OpenPage, type PageLab, startPageLab } from "../support/open-page.ts";
import { CONVERSATION, FAILURE, QUESTION } from "../support/sample-items.ts";

const ROOT = join(import.meta.dirname, "../../..");

let lab: PageLab;
let panel: OpenPage;
beforeAll(async () => {
  lab = await startPageLab();
});
afterAll(() => lab.close());
beforeEach(async () => {
  panel = await lab.open();
});
afterEach(async () => {
  const trespasses = await panel.trespasses();
  await panel.close();
  expect(trespasses).toEqual([]);
});

const answer = (id: string, text: string, isStreaming = false): TranscriptItem => ({
  id,
  kind: "text",
  text,
  isStreaming,
});
const message = () => panel.page.getByRole("textbox", { name: "Message" });

describe("the status line under a run", () => {
  it("says who is waited for", async () => {
    await panel.snapshot([answer("a", "Well")], { status: "running" });
    const line = panel.page.locator(".working");
    expect(await line.textContent()).toBe("Working… ");
    const [question] = QUESTION.filter(({ kind }) => kind === "question");
    if (question?.kind !== "question") throw new Error("There is no question among the samples.");
    await panel.patch([{ op: "upsert", item: { ...question, state: "pending" } }]);
    expect(await line.textContent()).toBe("Waiting for your answer Alt+A");
    expect(await line.locator("vscode-progress-ring").isVisible()).toBe(false);
    await panel.patch([{ op: "upsert", item: { ...question, state: "answered" } }]);
    expect(await line.textContent()).toBe("Working… ");
    expect(await line.locator("vscode-progress-ring").isVisible()).toBe(true);
  });

  it("shows the time, once it is long and only while the agent works", async () => {
    const runningSince = Date.now() - 65_000;
    await panel.snapshot([answer("a", "Well")], { status: "running", runningSince });
    const time = panel.page.locator(".working-time");
    await expect.poll(() => time.textContent()).toBe("1m 6s");
    await expect.poll(() => time.textContent()).toBe("1m 7s");
    await panel.patch([], { runningSince: Date.now() });
    expect(await time.textContent()).toBe("");
    await panel.patch([], { status: "idle" });
    expect(await panel.page.locator(".working").isVisible()).toBe(false);
    await panel.snapshot([answer("a", "Well")], { status: "running", runningSince, isReadOnly: true });
    expect(await time.textContent()).toBe("");
  });

  it("uses the clock of the host, which may be another", async () => {
    const now = Date.now() - 3_600_000;
    await panel.snapshot([answer("a", "Well")], { status: "running", runningSince: now - 65_000 }, undefined, now);
    const time = panel.page.locator(".working-time");
    await expect.poll(() => time.textContent()).toBe("1m 6s");
    await panel.patch([], { runningSince: now });
    await expect.poll(() => time.textContent()).toBe("4s");
  });

  it("gives way to a wait with a reason", async () => {
    const line = panel.page.locator(".working");
    const retry: TranscriptItem = {
      id: "r",
      kind: "activity",
      activity: "retry",
      text: "Retrying in 40s (1 of 3)",
      detail: "api.example.com is overloaded (529: Overloaded).",
      isRunning: true,
    };
    await panel.snapshot([retry], { status: "running" });
    expect(await line.isVisible()).toBe(false);
    expect(await panel.page.getByText("api.example.com is overloaded").isVisible()).toBe(true);
    await panel.patch([{ op: "upsert", item: answer("a", "Well", true) }]);
    expect(await line.isVisible()).toBe(true);
    await panel.patch([{ op: "upsert", item: { ...retry, text: "Succeeded on attempt 2", isRunning: false } }]);
    expect(await panel.page.getByText("api.example.com is overloaded").isVisible()).toBe(false);
  });
});

describe("the empty conversation", () => {
  it("names the main keys, and those that open lists", async () => {
    const rows = () => panel.page.locator(".keys").evaluate((list) => list.textContent);
    await panel.snapshot([]);
    expect(await rows()).toMatch(/^EnterSend messageShift\+EnterNew line@Add files and context\/Show commands/);
    await panel.snapshot([], { sendOnEnter: false });
    expect(await rows()).toMatch(/^Ctrl\+EnterSend messageEnterNew line@/);
  });
});

describe("the composer", () => {
  it("sends on Enter, starts a line on Shift+Enter and clears itself", async () => {
    await panel.snapshot([]);
    await message().click();
    await panel.page.keyboard.type("one");
    await panel.page.keyboard.press("Shift+Enter");
    await panel.page.keyboard.type("two");
    await panel.page.keyboard.press("Enter");
    expect(await panel.posts()).toContainEqual({ type: "prompt", text: "one\ntwo", delivery: "steer" });
    expect(await message().inputValue()).toBe("");
  });

  it("focuses the text after a click on Send", async () => {
    await panel.snapshot([], { status: "idle" });
    await message().fill("Go");
    await panel.page.getByRole("button", { name: "Send" }).click();
    await panel.page.keyboard.type("Next");
    expect(await message().inputValue()).toBe("Next");
  });

  it("does not send on the Enter that ends a composition", async () => {
    await panel.snapshot([]);
    await message().click();
    const session = await panel.page.context().newCDPSession(panel.page);
    await session.send("Input.imeSetComposition", { text: "にほ", selectionStart: 2, selectionEnd: 2 });
    await session.send("Input.dispatchKeyEvent", {
      type: "rawKeyDown",
      key: "Process",
      code: "Enter",
      windowsVirtualKeyCode: 229,
    });
    await session.send("Input.insertText", { text: "日本" });
    await panel.settle();
    expect(await message().inputValue()).toBe("日本");
    expect((await panel.posts()).filter((post) => post.type === "prompt")).toEqual([]);
    await panel.page.keyboard.press("Enter");
    expect(await panel.posts()).toContainEqual({ type: "prompt", text: "日本", delivery: "steer" });
  });

  it("steers on Enter and sends a follow-up on Alt+Enter while the agent works", async () => {
    await panel.snapshot([], { status: "running" });
    await message().fill("a");
    await message().press("Enter");
    await message().fill("b");
    await message().press("Alt+Enter");
    expect((await panel.posts()).filter((post) => post.type === "prompt")).toEqual([
      { type: "prompt", text: "a", delivery: "steer" },
      { type: "prompt", text: "b", delivery: "followUp" },
    ]);
  });

  it("stops a run by button or Escape, and then says that it is stopping", async () => {
    await panel.snapshot([], { status: "running" });
    await panel.page.getByRole("button", { name: "Stop" }).click();
    await message().press("Escape");
    expect((await panel.posts()).filter((post) => post.type === "stop")).toHaveLength(2);
    await panel.patch([], { status: "stopping" });
    expect(await panel.page.getByRole("button", { name: "Stop" }).count()).toBe(0);
    expect(await panel.page.locator(".composer").getByText("Stopping…").isVisible()).toBe(true);
  });

  it("keeps the draft over a reload of the page, and passes it to the host", async () => {
    await panel.snapshot([]);
    await message().fill("half a thou");
    await expect.poll(() => panel.posts()).toContainEqual({ type: "draft", chat: "c1", text: "half a thou" });
    await panel.reload();
    await panel.snapshot([], {}, { chat: "c1", text: "older text of the host", at: 1 });
    expect(await message().inputValue()).toBe("half a thou");
    await panel.reload();
    await panel.snapshot([], {}, { chat: "c1", text: "given back meanwhile", at: Date.now() });
    expect(await message().inputValue()).toBe("given back meanwhile");
  });

  it("keeps caret, selection and scroll position of the draft over a reload, a move and another conversation", async () => {
    const text = Array.from({ length: 60 }, (_, line) => `line ${line}`).join("\n");
    const place = () => inPage(panel.page, "draftPlace");
    await panel.snapshot([]);
    await message().fill(text);
    await inPage(panel.page, "putDraftPlaceAndLeave", 21, 35, 40);
    const now = { start: 21, end: 35, top: 40 };
    await expect.poll(() => panel.posts()).toContainEqual({ type: "draft", chat: "c1", text, place: now });
    await panel.reload();
    await panel.snapshot([], {}, { chat: "c1", text, at: 1 });
    expect(await place()).toEqual([21, 35, 40]);
    await panel.snapshot([], {}, { chat: "c2", text: "short", at: 1, place: { start: 1, end: 3, top: 0 } });
    expect(await place()).toEqual([1, 3, 0]);
    await panel.snapshot([], {}, { chat: "c1", text, at: 1, place: now });
    expect(await place()).toEqual([21, 35, 40]);
    // A view that is moved to another place of the editor begins with nothing.
    await panel.page.evaluate("sessionStorage.clear()");
    await panel.reload();
    await panel.snapshot([], {}, { chat: "c1", text, at: 1, place: now });
    expect(await place()).toEqual([21, 35, 40]);
    await panel.page.keyboard.press("F6");
    await message().focus();
    await panel.page.keyboard.type("X");
    expect(await message().inputValue()).toBe(`${text.slice(0, 21)}X${text.slice(35)}`);
  });

  it("keeps text typed before the conversation has arrived", async () => {
    await message().fill("quick fingers");
    await panel.snapshot([], {}, { chat: "c1", text: "the host's", at: Date.now() + 1000 });
    expect(await message().inputValue()).toBe("quick fingers");
  });

  it("keeps text typed while the session gets its name", async () => {
    await panel.snapshot([], {}, { chat: "before", text: "", at: 0 });
    await message().fill("quick fingers");
    await panel.snapshot([], {}, { chat: "after", was: "before", text: "quick", at: Date.now() + 1000 });
    expect(await message().inputValue()).toBe("quick fingers");
    expect(await panel.posts()).toContainEqual({ type: "draft", chat: "after", text: "quick fingers" });
    await message().fill("");
    await panel.snapshot([], {}, { chat: "last", was: "after", text: "of that session", at: 1 });
    expect(await message().inputValue()).toBe("of that session");
  });

  it("uses the host's draft when it has none", async () => {
    await panel.snapshot([], {}, { chat: "c1", text: "from the host", at: 1 });
    expect(await message().inputValue()).toBe("from the host");
    await panel.send({ type: "setDraft", text: "and more", mode: "append" });
    expect(await message().inputValue()).toBe("from the host\nand more");
  });

  it("shows queued messages and returns them", async () => {
    await panel.snapshot([], { status: "running", steering: ["now"], followUp: ["later"] });
    expect(
      await panel.page.getByRole("list", { name: "Queued messages" }).getByRole("listitem").allTextContents(),
    ).toEqual(["Sends after the current stepnow", "Sends when donelater"]);
    await panel.page.getByRole("button", { name: "Move Queued Messages to the Input" }).click();
    expect(await panel.posts()).toContainEqual({ type: "clearQueue" });
  });

  it("grows with its text up to two fifths of the height", async () => {
    await panel.snapshot([]);
    await message().fill("line\n".repeat(100));
    const box = await message().boundingBox();
    expect(box?.height).toBeGreaterThan(200);
    expect(box?.height).toBeLessThanOrEqual(256);
  });
});

describe("the conversation", () => {
  it("asks for a snapshot when a patch is missing", async () => {
    await panel.snapshot([]);
    await panel.forgetPosts();
    await panel.send({ type: "patch", revision: 9, ops: [] });
    expect(await panel.posts()).toEqual([{ type: "ready", version: 1, revision: 1 }]);
  });

  it("reports a message that it cannot read, and continues", async () => {
    await inPage(panel.page, "send", { type: "snapshot", items: "x" });
    await panel.snapshot([answer("a", "still here")]);
    expect(await panel.page.getByText("still here").isVisible()).toBe(true);
    const types = (await panel.posts()).map((post) => post.type);
    expect(types.filter((type) => type !== "focused")).toEqual(["ready", "pageError"]);
  });

  it("follows the end until the user scrolls away, and then does not move", async () => {
    const long = Array.from({ length: 60 }, (_, index) => answer(`i${index}`, `Paragraph ${index} `.repeat(12)));
    await panel.snapshot([...long, answer("s", "", true)], { status: "running" });
    const log = panel.page.getByRole("log", { name: "Chat" });
    const fromEnd = () => log.evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight);
    await expect.poll(fromEnd).toBeLessThan(2);
    await panel.patch([{ op: "append", id: "s", text: "more words ".repeat(80) }]);
    await expect.poll(fromEnd).toBeLessThan(2);

    await log.hover();
    await panel.page.mouse.wheel(0, -900);
    await expect.poll(fromEnd).toBeGreaterThan(300);
    await panel.settle();
    const anchorTop = () =>
      panel.page.locator('[data-id="i56"]').evaluate((element) => element.getBoundingClientRect().top);
    // Items above are drawn for the first time as they come into sight; wait until they have found their heights.
    let before: unknown;
    await vi.waitUntil(async () => {
      const last = before;
      for (let frames = 0; frames < 4; frames += 1) await panel.settle();
      before = await anchorTop();
      return before === last;
    }, 10_000);
    for (let index = 0; index < 20; index += 1) {
      await panel.patch([
        { op: "append", id: "s", text: "streamed on ".repeat(20) },
        ...(index % 7 === 0 ? [{ op: "upsert" as const, item: answer(`new${index}`, "Another answer.") }] : []),
      ]);
    }
    expect(await anchorTop()).toBe(before);
    const pill = panel.page.getByRole("button", { name: "Jump to Latest (3 New)" });
    await pill.click();
    await expect.poll(fromEnd).toBeLessThan(2);
    expect(await panel.page.getByRole("button", { name: /Jump to Latest/ }).count()).toBe(0);
  });

  it.each(["no-preference", "reduce"] as const)(
    "follows a long response to its end, with motion: %s",
    async (motion) => {
      await panel.page.emulateMedia({ reducedMotion: motion });
      await panel.snapshot([answer("s", "", true)], { status: "running" });
      const prose =
        "The parser reads one line at a time and hands each `token` on, with its **place** in the file, to whoever asked for it. ";
      const passage = `## A part\n\n${prose.repeat(3)}\n\n- a thing\n\n\`\`\`ts\nparse();\n\`\`\`\n\n${prose.repeat(2)}\n\n`;
      const text = passage.repeat(30);
      const pieces = Array.from({ length: Math.ceil(text.length / 160) }, (_, at) =>
        text.slice(at * 160, at * 160 + 160),
      );
      await panel.stream("s", pieces);
      const log = panel.page.getByRole("log", { name: "Chat" });
      const fromEnd = () => log.evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight);
      await expect.poll(fromEnd).toBeLessThan(2);
      expect(await panel.page.getByRole("button", { name: /Jump to Latest/ }).count()).toBe(0);
    },
  );

  it("opens and closes a tool card, and remembers that over a reload", async () => {
    await panel.snapshot(CONVERSATION);
    const read = panel.page.getByRole("button", { name: /^read src\/date\.ts/ });
    expect(await read.getAttribute("aria-expanded")).toBe("false");
    await read.click();
    expect(await panel.page.getByRole("group", { name: "Output" }).first().textContent()).toBe(
      "export function parseDate(text) {}",
    );
    await panel.page
      .getByRole("article", { name: /Tiller: read/ })
      .getByRole("button", { name: "Show Full Output" })
      .click();
    expect(await panel.posts()).toContainEqual({ type: "openTool", id: "3" });
    await panel.reload();
    await panel.snapshot(CONVERSATION);
    expect(await read.getAttribute("aria-expanded")).toBe("true");
  });

  it("names its items for screen readers, and announces only new ones", async () => {
    await panel.snapshot(CONVERSATION, { status: "running" });
    expect(
      await panel.page.getByRole("article", { name: "You: Why does the date test fail? Please fix it." }).count(),
    ).toBe(1);
    expect(await panel.page.getByRole("article", { name: "Tiller", exact: true }).count()).toBe(1);
    expect(await panel.page.getByRole("status").textContent()).toBe("");
    await panel.patch([
      { op: "upsert", item: { id: "p", kind: "prompt", text: "And?", images: [] } },
      { op: "upsert", item: answer("n", "three words here") },
    ]);
    expect(await panel.page.getByRole("status").textContent()).toBe("");
    await panel.patch([], { status: "idle" });
    expect(await panel.page.getByRole("status").textContent()).toBe("Response ready, 3 words");
    for (const item of QUESTION) await panel.patch([{ op: "upsert", item }]);
    expect(await panel.page.getByRole("alert").textContent()).toContain("Allow bash?");
  });
});

describe("keyboard focus", () => {
  it("is reported to the host, even when it came before the page's script", async () => {
    const isTold = async () => (await panel.posts()).some(({ type }) => type === "focused");
    await message().focus();
    await panel.reload();
    await expect.poll(isTold).toBe(true);
  });

  it("is reported as lost when the earlier page had it", async () => {
    // A document of the same place in which nothing forbids a frame.
    const address = panel.page.url();
    await panel.page.goto(new URL("panel.css", address).href);
    await panel.page.setContent(`<iframe src="${address}"></iframe>`);
    const posts = () => panel.page.frames()[1]?.evaluate("testSide.posts.map(({ type }) => type)");
    await expect.poll(posts).toContain("ready");
    expect(await posts()).toContain("blurred");
    expect(await posts()).not.toContain("focused");
  });

  it("goes to the document for an answer that is written in one", async () => {
    const item: TranscriptItem = {
      id: "a",
      kind: "question",
      requestId: "r1",
      method: "editor",
      title: "The commit message?",
      options: [],
      state: "pending",
    };
    await panel.snapshot([item]);
    await panel.page.getByRole("button", { name: "Open Document" }).click();
    expect(await panel.posts()).toContainEqual({ type: "showQuestion", requestId: "r1" });
  });

  it("reaches a question without the mouse, and returns to the composer", async () => {
    await panel.snapshot(QUESTION, { status: "running" });
    await message().focus();
    await panel.page.keyboard.press("Alt+a");
    await panel.page.keyboard.press("ArrowDown");
    await panel.page.keyboard.press("Enter");
    expect(await panel.posts()).toContainEqual({
      type: "answer",
      requestId: "r1",
      answer: { type: "value", value: "Allow for this session" },
    });
    expect(await inPage(panel.page, "focused")).toBe("VSCODE-TEXT-AREA");
  });

  it("has no box for a secret, which the editor asks for", async () => {
    await panel.snapshot([
      {
        id: "a",
        kind: "question",
        requestId: "r1",
        method: "input",
        title: "The key?",
        options: [],
        isSecret: true,
        state: "pending",
      },
    ]);
    const card = panel.page.getByRole("group", { name: "The key?" });
    expect(await card.locator("vscode-text-area").count()).toBe(0);
    await card.getByRole("button", { name: "Answer" }).press("Enter");
    expect(await panel.posts()).toContainEqual({ type: "showQuestion", requestId: "r1" });
  });

  it("allows answers by Enter for text, and by button for yes or no", async () => {
    await panel.snapshot([
      {
        id: "a",
        kind: "question",
        requestId: "r1",
        method: "input",
        title: "Branch name?",
        placeholder: "fix-…",
        options: [],
        state: "pending",
      },
      {
        id: "b",
        kind: "question",
        requestId: "r2",
        method: "confirm",
        title: "Sure?",
        message: "It is big.",
        options: [],
        state: "pending",
      },
    ]);
    await message().focus();
    await panel.page.keyboard.press("Alt+a");
    await panel.page.keyboard.type("fix-date");
    await panel.page.keyboard.press("Enter");
    await panel.page.getByRole("group", { name: "Sure?" }).getByRole("button", { name: "No" }).press("Enter");
    expect((await panel.posts()).filter((post) => post.type === "answer")).toEqual([
      { type: "answer", requestId: "r1", answer: { type: "value", value: "fix-date" } },
      { type: "answer", requestId: "r2", answer: { type: "confirmed", confirmed: false } },
    ]);
    await panel.patch([
      {
        op: "upsert",
        item: {
          id: "b",
          kind: "question",
          requestId: "r2",
          method: "confirm",
          title: "Sure?",
          message: "It is big.",
          options: [],
          state: "answered",
          answer: "No",
        },
      },
    ]);
    expect(await panel.page.getByRole("group", { name: "Sure?" }).getByRole("button").count()).toBe(0);
    expect(await panel.page.getByText("Answered: No").isVisible()).toBe(true);
  });

  it("moves from composer to conversation with F6, over items with arrows, and back with Escape", async () => {
    await panel.snapshot(CONVERSATION);
    await message().focus();
    await panel.page.keyboard.press("Shift+F6");
    const focused = () => inPage(panel.page, "focused");
    expect(await focused()).toBe("7");
    await panel.page.keyboard.press("Home");
    await panel.page.keyboard.press("ArrowDown");
    await panel.page.keyboard.press("ArrowDown");
    expect(await focused()).toBe("3");
    await panel.page.keyboard.press("Enter");
    expect(await panel.page.getByRole("button", { name: /^read/ }).getAttribute("aria-expanded")).toBe("true");
    await panel.page.keyboard.press("Escape");
    expect(await focused()).toBe("VSCODE-TEXT-AREA");
  });

  it("never moves because of the agent", async () => {
    await panel.snapshot([]);
    await message().focus();
    for (const item of [...CONVERSATION, ...QUESTION, ...FAILURE]) await panel.patch([{ op: "upsert", item }]);
    await panel.page.keyboard.type("still typing");
    expect(await message().inputValue()).toBe("still typing");
  });
});

describe("the page's bundle", () => {
  it("stays below 400 kB", () => {
    expect(statSync(join(ROOT, "dist/webview/main.js")).size).toBeLessThan(400_000);
  });
});
