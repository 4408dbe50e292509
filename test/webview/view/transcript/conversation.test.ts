import { describe, expect, it } from "vitest";
import type { TranscriptItem } from "../../../../webview/protocol/items.ts";
import { inPage } from "../../support/open-page.ts";
import { CONVERSATION } from "../../support/sample-items.ts";
import { usePage } from "../../support/use-page.ts";

const panel = usePage();
const message = () => panel().page.getByRole("textbox", { name: "Message" });
const press = (keys: string) => panel().page.keyboard.press(keys);
const marked = (name: string) =>
  panel().page.evaluate(`[...CSS.highlights.get("${name}")].map((range) => range.toString())`);

describe("find", () => {
  const count = () => panel().page.locator(".find-count").textContent();

  it("marks matches, even across parts of a line, and steps through them", async () => {
    const text = "A **needle** here, nee*dle* there.\n\n```\nNEEDLE\n```\n";
    await panel().snapshot([{ id: "a", kind: "text", text, isStreaming: false }]);
    await message().focus();
    await press("Control+f");
    await panel().page.keyboard.type("needle");
    expect(await count()).toBe("1 of 3");
    expect(await marked("find")).toEqual(["needle", "needle", "NEEDLE"]);
    await press("Shift+Enter");
    expect(await count()).toBe("3 of 3");
    expect(await marked("find-current")).toEqual(["NEEDLE"]);
    await press("Enter");
    expect(await count()).toBe("1 of 3");
    await press("Escape");
    expect(await panel().page.getByRole("search").count()).toBe(0);
    expect(await inPage(panel().page, "focused")).toBe("a");
  });

  it("stays closed when the editor reports the key after Escape", async () => {
    await panel().snapshot([{ id: "a", kind: "text", text: "A needle.", isStreaming: false }]);
    await message().focus();
    await press("Control+f");
    await press("Escape");
    await panel().send({ type: "find" });
    await panel().page.keyboard.type("words");
    expect(await message().inputValue()).toBe("words");
    expect(await panel().page.getByRole("search").count()).toBe(0);
  });

  it("finds text in closed cards, and opens them at a match", async () => {
    await panel().snapshot(CONVERSATION, { density: "compact" });
    await panel().send({ type: "find" });
    await panel().page.keyboard.type("expected 2026");
    expect(await count()).toBe("1 of 1");
    expect(await panel().page.getByRole("button", { name: /^bash/ }).getAttribute("aria-expanded")).toBe("true");
    expect(await marked("find-current")).toEqual(["expected 2026"]);
    await panel().page.getByRole("textbox", { name: "Find in chat" }).fill("compares local");
    expect(await count()).toBe("1 of 1");
    expect(await marked("find-current")).toEqual(["compares local"]);
  });

  it("counts new text while it is open, and treats special characters literally", async () => {
    await panel().snapshot([{ id: "a", kind: "text", text: "a.b", isStreaming: true }]);
    await panel().send({ type: "find" });
    await panel().page.keyboard.type("a.b");
    await panel().patch([{ op: "append", id: "a", text: " axb a.b" }]);
    await expect.poll(count).toBe("1 of 2");
    await panel().page.getByRole("textbox", { name: "Find in chat" }).fill("zzz");
    expect(await count()).toBe("No results");
  });
});

describe("the density setting", () => {
  const open = () => panel().page.locator('[aria-expanded="true"][class*="-head"]').count();

  it("opens nothing, the important cards, or everything, except what the user has set by hand", async () => {
    await panel().snapshot(CONVERSATION);
    expect(await open()).toBe(2);
    await panel().patch([], { density: "open" });
    expect(await open()).toBe(4);
    await panel().page.getByRole("button", { name: /^edit/ }).click();
    expect(await open()).toBe(3);
    await panel().page.getByRole("button", { name: "Thought for 4.2s" }).click();
    await panel().page.getByRole("button", { name: "Thought for 4.2s" }).click();
    await panel().patch([], { density: "compact" });
    expect(await panel().page.getByText("I should look at the parser first.").isVisible()).toBe(true);
    expect(await open()).toBe(1);
  });
});

describe("navigation in the conversation", () => {
  const said: TranscriptItem[] = ["one", "two", "three"].flatMap((text) => [
    { id: text, kind: "prompt" as const, text, images: [] },
    { id: `${text}-answer`, kind: "text" as const, text: "Long words. ".repeat(200), isStreaming: false },
  ]);

  it("goes from one user message to the next, and to items that the host names", async () => {
    await panel().snapshot(said);
    await message().fill("half a thought");
    await press("Alt+ArrowUp");
    expect(await inPage(panel().page, "focused")).toBe("VSCODE-TEXT-AREA");
    await message().fill("");
    await press("Alt+ArrowUp");
    expect(await inPage(panel().page, "focused")).toBe("three");
    await press("Alt+ArrowUp");
    await press("Alt+ArrowUp");
    expect(await inPage(panel().page, "focused")).toBe("one");
    await press("Alt+ArrowDown");
    expect(await inPage(panel().page, "focused")).toBe("two");
    await panel().send({ type: "reveal", id: "three-answer" });
    expect(await inPage(panel().page, "focused")).toBe("three-answer");
  });

  it("tells the editor's context menu which item was clicked", async () => {
    await panel().snapshot(said);
    const context = await panel().page.getByRole("article", { name: "You: two" }).getAttribute("data-vscode-context");
    expect(JSON.parse(context ?? "")).toEqual({ webviewSection: "tillerItem", tillerKind: "prompt", itemId: "two" });
  });
});

describe("long jobs", () => {
  it("count down to the next attempt, and can be stopped", async () => {
    const retry: TranscriptItem = {
      id: "r",
      kind: "activity",
      activity: "retry",
      text: "Retrying in 40s (1 of 3)",
      isRunning: true,
      until: Date.now() + 3_000,
    };
    await panel().snapshot([retry], { status: "running" });
    await panel()
      .page.getByText(/^Retrying in [123]s \(1 of 3\)$/)
      .waitFor();
    await panel().page.getByText("Retrying now (1 of 3)").waitFor();
    await panel().page.getByRole("button", { name: "Stop Retrying" }).click();
    const compaction: TranscriptItem = { ...retry, id: "c", activity: "compaction", text: "Summarising" };
    await panel().patch([{ op: "upsert", item: compaction }]);
    await panel().page.getByRole("button", { name: "Stop Compacting" }).click();
    expect((await panel().posts()).filter((post) => post.type === "stopActivity")).toEqual([
      { type: "stopActivity", activity: "retry" },
      { type: "stopActivity", activity: "compaction" },
    ]);
  });

  it("that failed continue once after a double click, and leave the focus where their offer was", async () => {
    const failure: TranscriptItem = {
      id: "n",
      kind: "notice",
      level: "error",
      text: "The model didn't respond: overloaded",
      action: { label: "Retry", command: "tiller.tryAgain" },
      secondAction: { label: "Select Model", command: "tiller.pickModel" },
    };
    await panel().snapshot([failure]);
    const again = panel().page.getByRole("button", { name: "Retry" });
    await again.dblclick();
    expect((await panel().posts()).filter(({ type }) => type === "command")).toHaveLength(1);
    await again.focus();
    await press("Enter");
    expect((await panel().posts()).filter(({ type }) => type === "command")).toHaveLength(2);
    const { action: _, secondAction, ...notice } = failure;
    await panel().patch([{ op: "upsert", item: { ...notice, ...(secondAction && { action: secondAction }) } }]);
    expect(await inPage(panel().page, "focused")).toBe("n");
  });

  it("show below an answer what it took, with the source of its tokens", async () => {
    await panel().snapshot([
      {
        id: "f",
        kind: "footer",
        model: "m",
        durationMs: 4_200,
        inputTokens: 12_400,
        outputTokens: 812,
        cacheReadTokens: 9_000,
        cacheWriteTokens: 2_000,
        cacheNote: "Cache rewritten: the model changed",
        costUsd: 0.031,
      },
    ]);
    const footer = panel().page.locator(".footer");
    const opacity = () => panel().page.evaluate("getComputedStyle(document.querySelector('.footer-facts')).opacity");
    await panel().page.mouse.move(0, 0);
    expect(await opacity()).toBe("0");
    await footer.hover();
    expect(await opacity()).toBe("1");
    expect(await footer.textContent()).toBe("m · 4.2s · 12k in · 812 out · $0.03");
    expect(await footer.locator(".footer-facts").getAttribute("title")).toBe(
      "9k tokens read from the cache, 2k written to the cache, 1.4k new\nCache rewritten: the model changed",
    );
  });

  it("open the document of a call by address", async () => {
    const tool = { id: "t", kind: "tool", toolName: "write", state: "done", intent: "untitled:Notes" } as const;
    const rest = { input: "", output: "Wrote it.", isOutputCut: false, images: [], address: "untitled:Notes" };
    await panel().snapshot([{ ...tool, ...rest }]);
    await panel()
      .page.getByRole("button", { name: /^write untitled:Notes/ })
      .click();
    await panel().page.getByRole("button", { name: "Open Document" }).click();
    expect(await panel().posts()).toContainEqual({ type: "openFile", path: "untitled:Notes" });
  });

  it("list the files that an answer changed, which open as a diff, and the other files and links on request", async () => {
    const file = (name: string, edits: number) => ({
      path: `/work/${name}`,
      name,
      reads: 2,
      edits,
      added: edits,
      removed: 0,
      ...(edits > 0 && { change: "t1" }),
    });
    const files = [file("src/a.ts", 1), ...Array.from({ length: 7 }, (_, index) => file(`f${index}.ts`, 0))];
    const links = [{ href: "https://www.example.com/x/", label: "" }];
    await panel().snapshot([{ id: "f", kind: "footer", model: "m", tools: 1, files, links, moreReferences: 3 }]);
    const list = panel().page.getByRole("list", { name: "Files and links" });
    expect(await panel().page.getByRole("article", { name: "End of response: 1 tool call, m" }).count()).toBe(1);
    expect(await list.getByRole("listitem").count()).toBe(2);
    const first = list.getByRole("button", { name: "a.ts +1 −0" });
    expect(await first.getAttribute("title")).toBe("src/a.ts, read 2 times, changed");
    await first.click();
    await list.getByRole("button", { name: "Show 11 more" }).press("Enter");
    expect(await inPage(panel().page, "focusedText")).toBe("f0.ts");
    expect(await list.getByRole("listitem").last().textContent()).toBe("and 3 more");
    await list.getByRole("button", { name: "example.com/x" }).click();
    expect((await panel().posts()).filter((post) => post.type.startsWith("open"))).toEqual([
      { type: "openDiff", id: "t1" },
      { type: "openLink", href: "https://www.example.com/x/" },
    ]);
  });
});
