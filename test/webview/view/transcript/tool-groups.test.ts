import { expect, it } from "vitest";
import type { TranscriptItem } from "../../../../webview/protocol/items.ts";
import { usePage } from "../../support/use-page.ts";

const panel = usePage();

type Tool = Extract<TranscriptItem, { kind: "tool" }>;

function look(id: string, fields: Partial<Tool>): TranscriptItem {
  const whole = { state: "done", intent: id, phrase: "Read {0}", part: "file", durationMs: 200 } as const;
  return {
    id,
    kind: "tool",
    toolName: "read",
    input: "",
    output: "",
    isOutputCut: false,
    images: [],
    ...whole,
    ...fields,
  };
}

it("neighboring calls that only look fold into one line, which opens into the list", async () => {
  const search = { toolName: "grep", phrase: "Searched for {0}", part: "search" } as const;
  await panel().snapshot([look("a.ts", {}), look("b.ts", { state: "failed" }), look("x", search)]);
  const { page } = panel();
  const head = page.getByRole("button", { name: "Explored 2 files, 1 search" });
  await head.waitFor();
  expect(await head.textContent()).toContain("1 not found");
  expect(await page.getByText("b.ts").isVisible()).toBe(false);
  await head.click();
  expect(await page.getByText("b.ts").isVisible()).toBe(true);
  await panel().patch([{ op: "upsert", item: look("c.ts", { state: "running" }) }], { status: "running" });
  await page.getByRole("button", { name: "Exploring 3 files, 1 search…" }).waitFor();
});

it("a call that stands alone, and calls with an answer between them, stay lines of their own", async () => {
  const answer = { id: "t", kind: "text", text: "And now the other.", isStreaming: false } as const;
  await panel().snapshot([look("a.ts", {}), answer, look("b.ts", {})]);
  expect(await panel().page.getByText("a.ts").isVisible()).toBe(true);
  expect(await panel().page.getByText("b.ts").isVisible()).toBe(true);
});

it("a call that the user has opened, or has the keyboard in, does not fold away when a neighbor comes", async () => {
  const { page } = panel();
  await panel().snapshot([look("a.ts", { output: "the first lines" })], { status: "running" });
  await page.getByRole("button", { name: /^Read a\.ts/ }).click();
  await panel().patch([{ op: "upsert", item: look("b.ts", {}) }]);
  await page.getByRole("button", { name: "Explored 2 files", expanded: true }).waitFor();
  expect(await page.getByText("the first lines").isVisible()).toBe(true);
  expect(await page.getByText("b.ts").isVisible()).toBe(true);
});

it("edits fold in the compact view only, with the sum of their lines", async () => {
  const edit = { toolName: "edit", phrase: "Edited {0}", part: "edit" } as const;
  const edits = [look("a", { ...edit, intent: "a.ts +2 −1" }), look("b", { ...edit, intent: "b.ts +10 −3" })];
  await panel().snapshot(edits);
  expect(
    await panel()
      .page.getByRole("button", { name: /^Edited b\.ts/ })
      .isVisible(),
  ).toBe(true);
  await panel().patch([], { density: "compact" });
  await panel().page.getByRole("button", { name: "Edited 2 files +12 −4" }).waitFor();
  expect(
    await panel()
      .page.getByRole("button", { name: /^Edited b\.ts/ })
      .isVisible(),
  ).toBe(false);
});

it("a match of a search in a folded call opens the line", async () => {
  await panel().snapshot([look("a.ts", {}), look("needle.ts", {})]);
  const { page } = panel();
  await page.getByRole("button", { name: "Explored 2 files" }).waitFor();
  await panel().send({ type: "find" });
  await page.keyboard.type("needle");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.getByRole("button", { name: /^Read needle\.ts/ }).isVisible()).toBe(true);
});
