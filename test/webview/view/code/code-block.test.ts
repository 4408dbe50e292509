import { expect, it } from "vitest";
import type { TranscriptItem } from "../../../../webview/protocol/items.ts";
import { inPage } from "../../support/open-page.ts";
import { usePage } from "../../support/use-page.ts";

const panel = usePage();
const answer = (text: string): TranscriptItem[] => [{ id: "a", kind: "text", text, isStreaming: false }];
const actions = async () => (await panel().posts()).filter((post) => post.type === "codeAction");
const TS = "Change `src/main.ts`, not `README.md`, as in\n\n```ts\nconst a = 1;\n```\n";

it("a code block offers to insert, apply, copy and create a file, with the files named above it", async () => {
  await panel().page.setViewportSize({ width: 500, height: 600 });
  await panel().snapshot(answer(TS));
  const bar = panel().page.getByRole("toolbar", { name: "Code" });
  expect(await bar.getByRole("button").evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")))).toEqual([
    "Insert at Cursor",
    "Apply to File",
    "Insert into New File",
    "Copy Code",
  ]);
  await panel().page.getByRole("button", { name: "Apply to File" }).click();
  await panel().page.getByRole("button", { name: "Insert at Cursor" }).press("Enter");
  const shared = { type: "codeAction", code: "const a = 1;\n", language: "ts", files: ["README.md", "src/main.ts"] };
  expect(await actions()).toEqual([
    { ...shared, action: "apply" },
    { ...shared, action: "insert" },
  ]);
});

it("a code block offers commands to the terminal, and no other code", async () => {
  await panel().page.setViewportSize({ width: 500, height: 600 });
  await panel().snapshot(answer("```sh\nls\n```\n\n```ts src/a.ts\nx\n```\n"));
  await panel().page.getByRole("button", { name: "Run in Terminal" }).click();
  expect(await actions()).toEqual([
    { type: "codeAction", action: "terminal", code: "ls\n", language: "sh", files: [] },
  ]);
  expect(await panel().page.getByText("src/a.ts").isVisible()).toBe(true);
});

it("a code block puts its actions into one menu where there is no room, for the keyboard too", async () => {
  await panel().snapshot(answer(TS));
  expect(await panel().page.getByRole("button", { name: "Insert at Cursor" }).count()).toBe(0);
  const more = panel().page.getByRole("button", { name: "More Actions…" });
  await more.focus();
  await panel().page.keyboard.press("Enter");
  await panel().page.getByRole("menu", { name: "Code" }).waitFor();
  await panel().page.keyboard.press("ArrowDown");
  await panel().page.keyboard.press("ArrowDown");
  await panel().page.keyboard.press("Enter");
  expect((await actions()).map((post) => post.action)).toEqual(["newFile"]);
  await panel().page.keyboard.press("Enter");
  await panel().page.keyboard.press("Escape");
  expect(await panel().page.getByRole("menu").count()).toBe(0);
  expect(await inPage(panel().page, "focused")).toBe("BUTTON");
});

it("a code block is colored by a script that is loaded with the first one", async () => {
  const loaded = () => panel().page.locator('script[src$="colors.js"]').count();
  await panel().snapshot(answer("No code."));
  expect(await loaded()).toBe(0);
  await panel().snapshot(answer(TS));
  await panel().page.locator(".code-block .hljs-keyword", { hasText: "const" }).waitFor();
  await panel().snapshot(answer(`${TS}\n${TS}`));
  await expect.poll(() => panel().page.locator(".code-block .hljs-keyword").count()).toBe(2);
  expect(await loaded()).toBe(1);
});
