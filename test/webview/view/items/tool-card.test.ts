import { expect, it } from "vitest";
import type { TranscriptItem } from "../../../../webview/protocol/items.ts";
import { usePage } from "../../support/use-page.ts";

const panel = usePage();
const IMAGE = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='80' height='60'/%3E";

function card(fields: Partial<Extract<TranscriptItem, { kind: "tool" }>>): TranscriptItem {
  return {
    id: "t",
    kind: "tool",
    toolName: "bash",
    state: "failed",
    intent: "npm test",
    input: "npm test",
    output: "",
    isOutputCut: false,
    images: [],
    ...fields,
  };
}

it("a tool card marks the words that an edit changed, counts its lines and opens it in the editor", async () => {
  const diff = "-1 let a = 1;\n+1 let b = 1;";
  const words = [
    { line: 0, start: 7, end: 8 },
    { line: 1, start: 7, end: 8 },
  ];
  await panel().snapshot([
    card({ toolName: "edit", state: "done", intent: "src/a.ts +1 −1", path: "/w/src/a.ts", diff, words }),
  ]);
  const changes = panel().page.getByRole("group", { name: "Changes" });
  expect(await changes.locator(".diff-word").allTextContents()).toEqual(["a", "b"]);
  expect(await changes.textContent()).toBe(`${diff}\n`);
  expect(await panel().page.locator(".tool-changes").textContent()).toBe("+1 −1");
  expect(await panel().page.locator(".tool-intent").textContent()).toBe("src/a.ts");
  await panel().page.getByRole("button", { name: "Open Diff" }).click();
  expect(await panel().posts()).toContainEqual({ type: "openDiff", id: "t" });
});

it("a tool card shows output in the terminal's colors, and overwritten lines in their last state", async () => {
  const output =
    "10%\r50%\r\u001b[32m100%\u001b[0m done\r\n\u001b[1;31mFAIL\u001b[m \u001b[38;5;196mx\u001b[39m\u001b[2K\u001b]0;title\u0007!";
  await panel().snapshot([card({ output, exitCode: 2 })]);
  const region = panel().page.getByRole("group", { name: "Output" });
  expect(await region.textContent()).toBe("100% done\nFAIL x!");
  const spans = await region
    .locator("span")
    .evaluateAll((all) =>
      all.map((span) => `${span.textContent} ${span.className} ${span.getAttribute("style")}`.replace(/\s+/g, " ")),
    );
  expect(spans).toEqual([
    "100% color: var(--vscode-terminal-ansiGreen);",
    "FAIL ansi-bold color: var(--vscode-terminal-ansiRed);",
    "x color: rgb(255, 0, 0);",
  ]);
  expect(await panel().page.getByText("exit 2").isVisible()).toBe(true);
});

it("a diff has the colors of its language with the changed words marked, and scrolls instead of wrapping", async () => {
  const lines = Array.from({ length: 30 }, (_, index) => `+${index + 10} // ${"a long line ".repeat(20)}`);
  const diff = ['-9 const name = "old";', '+9 const name = "new";', ...lines].join("\n");
  const words = [{ line: 1, start: 17, end: 20 }];
  await panel().snapshot([card({ toolName: "edit", state: "done", path: "/w/src/a.ts", diff, words })]);
  const changes = panel().page.getByRole("group", { name: "Changes" });
  await expect.poll(() => changes.locator(".is-added .hljs-keyword").first().textContent()).toBe("const");
  expect(await changes.locator(".hljs-string .diff-word").textContent()).toBe("new");
  expect(await changes.textContent()).toBe(`${diff}\n`);
  const [height, lineHeight, wide] = await changes.evaluate((box) => [
    box.clientHeight,
    box.querySelector(".diff-line")?.getBoundingClientRect().height ?? 0,
    box.scrollWidth > box.clientWidth,
  ]);
  expect(wide).toBe(true);
  expect(Math.round((Number(height) - 12) / Number(lineHeight))).toBe(24);
});

it("a running command shows its last lines in its card, in color, and fewer when the chat is compact", async () => {
  const output = "one\ntwo\nthree\n\u001b[32mfour\u001b[0m\nfive\n";
  const live = panel().page.locator(".tool-live");
  await panel().snapshot([card({ state: "running", inputLanguage: "bash", output })]);
  expect(await live.textContent()).toBe("two\nthree\nfour\nfive");
  expect(await live.locator("span").getAttribute("style")).toBe("color: var(--vscode-terminal-ansiGreen);");
  await panel().snapshot([card({ state: "running", inputLanguage: "bash", output })], { density: "compact" });
  expect(await live.textContent()).toBe("five");
  await panel().snapshot([card({ state: "done", inputLanguage: "bash", output })]);
  expect(await live.count()).toBe(0);
});

it("a tool card opens and saves images", async () => {
  await panel().snapshot([card({ images: [{ src: IMAGE, alt: "Image 1" }] })]);
  await panel().page.getByRole("button", { name: "Open Image 1" }).click();
  await panel().page.getByRole("button", { name: "Save Image 1" }).click();
  expect((await panel().posts()).filter((post) => post.type === "image")).toEqual([
    { type: "image", action: "open", id: "t", index: 0 },
    { type: "image", action: "save", id: "t", index: 0 },
  ]);
});

it("a tool card shows arguments while they are written, when it is open", async () => {
  await panel().snapshot([card({ state: "preparing", intent: "", input: "" })], { status: "running" });
  await panel().page.getByRole("button", { name: /^bash/ }).click();
  await panel().patch([{ op: "append", id: "t", text: '{"command":"npm' }]);
  expect(await panel().page.getByRole("group", { name: "Input" }).textContent()).toBe('{"command":"npm');
});

it("a tool card shows the end of failed output by default, and all of it when opened by hand or searched", async () => {
  const output = Array.from({ length: 40 }, (_, at) => `line ${at}`).join("\n");
  await panel().snapshot([card({ intent: "npm test (+1 line)", input: "npm test\nnpm run lint", output })]);
  const region = panel().page.getByRole("group", { name: "Output" });
  expect(await region.textContent()).toBe(output.split("\n").slice(-6).join("\n"));
  expect(await panel().page.getByRole("group", { name: "Input" }).count()).toBe(0);
  await panel().send({ type: "find" });
  await panel().page.keyboard.type("line 5");
  expect(await panel().page.locator(".find-count").textContent()).toBe("1 of 1");
  expect(await region.textContent()).toBe(output);
  await panel().page.keyboard.press("Escape");
  const head = panel().page.getByRole("button", { name: /^bash/ });
  await head.click();
  expect(await region.count()).toBe(0);
  await head.click();
  expect(await region.textContent()).toBe(output);
  expect(await panel().page.getByRole("group", { name: "Input" }).textContent()).toContain("npm run lint");
});

it("a tool card steps through the matches of failed output, even when only its end is shown", async () => {
  const output = ["Needle", ...Array.from({ length: 20 }, () => "line"), "nEedle", "neEdle"].join("\n");
  await panel().snapshot([card({ intent: "NEEDLE", input: "npm test", output })]);
  await panel().send({ type: "find" });
  await panel().page.keyboard.insertText("needle");
  const current = () => panel().page.evaluate(`[...CSS.highlights.get("find-current")].map(String)`);
  for (const match of ["NEEDLE", "Needle", "nEedle", "neEdle"]) {
    expect(await current()).toEqual([match]);
    await panel().page.keyboard.press("Enter");
  }
});
