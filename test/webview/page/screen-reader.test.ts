import { describe, expect, it } from "vitest";
import type { TranscriptItem } from "../../../webview/protocol/items.ts";
import type { PatchOp } from "../../../webview/protocol/to-panel.ts";
import { inPage } from "../support/open-page.ts";
import { APPROVAL, CONVERSATION } from "../support/sample-items.ts";
import { usePage } from "../support/use-page.ts";

const panel = usePage();
const said = (role: "status" | "alert") => panel().page.locator(`.visually-hidden > [role="${role}"]`).textContent();
const tool = (state: "preparing" | "running" | "failed", output = ""): TranscriptItem => ({
  id: "t",
  kind: "tool",
  toolName: "bash",
  state,
  intent: "make",
  input: "",
  output,
  isOutputCut: false,
  images: [],
});

describe("a screen reader", () => {
  it("hears nothing while 500 pieces of thinking, text, arguments and output arrive", async () => {
    await panel().snapshot(
      [
        { id: "k", kind: "thinking", text: "", isStreaming: true },
        { id: "a", kind: "text", text: "", isStreaming: true },
        tool("preparing"),
      ],
      { status: "running" },
    );
    await inPage(panel().page, "watchAnnouncements");
    const pieces = (id: string, text: string, count: number) =>
      Array.from({ length: count }, (): PatchOp => ({ op: "append", id, text }));
    const ops = [
      ...pieces("k", "thought ", 100),
      ...pieces("a", "word **bold** ", 250),
      ...pieces("t", "x", 50),
      ...Array.from(
        { length: 100 },
        (_, line): PatchOp => ({
          op: "upsert",
          item: tool("running", `line ${line}\n`.repeat(line)),
        }),
      ),
    ];
    for (let at = 0; at < ops.length; at += 5) await panel().patch(ops.slice(at, at + 5));
    expect(ops).toHaveLength(500);
    expect(await panel().page.evaluate("testSide.announcements")).toEqual([]);
    expect(await panel().page.getByRole("log", { name: "Chat" }).getAttribute("aria-live")).toBe("off");
  });

  it("hears when work begins and ends, what failed, and at once what an approval is about", async () => {
    await panel().snapshot([]);
    await panel().patch([], { status: "running" });
    expect(await said("status")).toBe("Tiller is working");
    await panel().patch([{ op: "upsert", item: tool("running") }]);
    await panel().patch([{ op: "upsert", item: tool("failed") }]);
    expect(await said("status")).toBe("Failed: bash make");
    await panel().patch(APPROVAL.map((item) => ({ op: "upsert", item })));
    expect(await said("alert")).toMatch(/^Approval needed: bash npm run build -- --verbose 2>&1 \| tee build\.log\. /);
    await panel().patch([{ op: "upsert", item: { id: "a", kind: "text", text: "It is built.", isStreaming: false } }], {
      status: "idle",
    });
    expect(await said("status")).toBe("Response ready, 3 words");
  });

  it("hears the length of a Japanese response in characters", async () => {
    await panel().snapshot([], { status: "running" });
    const text = "直しました src/a.ts";
    await panel().patch([{ op: "upsert", item: { id: "a", kind: "text", text, isStreaming: false } }], {
      status: "idle",
    });
    expect(await said("status")).toBe("Response ready, 6 words");
  });

  it("hears everything that is announced at the same moment", async () => {
    await panel().snapshot([tool("running")], { status: "running" });
    await panel().patch([{ op: "upsert", item: tool("failed") }], { status: "idle" });
    expect(await said("status")).toBe("Failed: bash make. Response ready, 0 words");
  });

  it("finds each item of the conversation as an article with a name", async () => {
    await panel().snapshot(CONVERSATION);
    const names = await panel()
      .page.getByRole("log")
      .getByRole("article")
      .evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
    expect(names).toEqual([
      "You: Why does the date test fail? Please fix it.",
      "Tiller: Thought for 4.2s",
      "Tiller: read src/date.ts:1-40, done",
      "Tiller: bash npm test -- date, failed",
      "Tiller: edit src/date.ts +2 −1, done",
      "Tiller",
      "End of response: 3 tool calls, claude-sonnet-5, 14s, 12k in, 812 out, $0.03",
    ]);
  });
});
