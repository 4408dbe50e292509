import { describe, expect, it } from "vitest";
import { endsWithPath, searchPattern } from "../../../../extension/features/code-blocks/file-search.ts";
import type { TranscriptItem } from "../../../../webview/protocol/items.ts";
import { findFileNames } from "../../../../webview/view/code/file-names.ts";
import { usePage } from "../../support/use-page.ts";

const panel = usePage();
const words = (text: string) => findFileNames(text).map(({ start, end }) => text.slice(start, end));

const output: TranscriptItem = {
  id: "t",
  kind: "tool",
  toolName: "bash",
  state: "failed",
  intent: "npm test",
  input: "",
  output: "at src/a.ts:12:5\nat made/up.ts:1",
  isOutputCut: false,
  images: [],
};

describe("file names in a text", () => {
  it("are found with line and column, in the forms that tools write", () => {
    expect(words("see src/a.ts:12:5, ./b.js(3,4) and C:\\x\\y.cs#L7.")).toEqual([
      "src/a.ts:12:5",
      "./b.js(3,4)",
      "C:\\x\\y.cs#L7",
    ]);
    expect(findFileNames("b.js(3,4)")[0]).toEqual({ path: "b.js", line: 3, column: 4, start: 0, end: 9 });
    expect(words("Edit Makefile, .gitignore and a.test.ts.")).toEqual(["Makefile", ".gitignore", "a.test.ts"]);
  });

  it("are not confused with addresses, versions or numbers", () => {
    expect(words("https://site.org/a.html v1.2.3 3.14 and/or me@site.org ... 10:30")).toEqual(["me@site.org"]);
  });

  it("are found in linear time", () => {
    const start = performance.now();
    for (const text of ["a".repeat(200_000), "a/".repeat(100_000), "../".repeat(70_000), "a.b:1:".repeat(30_000)]) {
      findFileNames(text);
    }
    expect(performance.now() - start).toBeLessThan(1_500);
  });

  it("are looked up together, and never used as a pattern", () => {
    expect(searchPattern(["a.ts", "x/b.ts", "../a.ts", "{evil}*.ts", "x/../../y.ts"])).toBe("**/{a.ts,x/b.ts}");
    expect(searchPattern(["*"])).toBe(undefined);
    expect(endsWithPath("/w/lib/a.ts", "a.ts")).toBe(true);
    expect(endsWithPath("/w/lib/aa.ts", "a.ts")).toBe(false);
  });
});

describe("links to files", () => {
  it("are created for files that the host knows, in text, code and output, and open at their line", async () => {
    const text = "Look at `src/a.ts:12` and notes.md, not at gone.ts.\n\n```ts\n// src/a.ts\n```\n";
    await panel().snapshot([{ id: "a", kind: "text", text, isStreaming: false }, output]);
    await expect
      .poll(async () => (await panel().posts()).flatMap((post) => (post.type === "findFiles" ? post.paths : [])).sort())
      .toEqual(["gone.ts", "made/up.ts", "notes.md", "src/a.ts"]);
    expect(await panel().page.getByRole("link").count()).toBe(0);
    await panel().send({
      type: "files",
      files: [
        { path: "src/a.ts", target: "src/a.ts" },
        { path: "notes.md", target: "docs/notes.md" },
        { path: "gone.ts", target: null },
        { path: "made/up.ts", target: null },
      ],
    });
    expect(await panel().page.getByRole("link").allTextContents()).toEqual([
      "src/a.ts:12",
      "notes.md",
      "src/a.ts:12:5",
    ]);
    expect(await panel().page.getByRole("link", { name: "notes.md" }).getAttribute("title")).toBe("docs/notes.md");
    await panel().page.getByRole("link", { name: "src/a.ts:12:5" }).click();
    expect(await panel().posts()).toContainEqual({ type: "openFile", path: "src/a.ts", line: 12, column: 5 });
  });

  it("are created at once for names that were looked up before", async () => {
    await panel().snapshot([output]);
    await expect.poll(async () => (await panel().posts()).filter((post) => post.type === "findFiles")).toHaveLength(1);
    await panel().send({
      type: "files",
      files: [
        { path: "src/a.ts", target: "src/a.ts" },
        { path: "made/up.ts", target: null },
      ],
    });
    await panel().patch([{ op: "upsert", item: { ...output, id: "u" } }]);
    await expect.poll(() => panel().page.getByRole("link").count()).toBe(2);
    expect((await panel().posts()).filter((post) => post.type === "findFiles")).toHaveLength(1);
  });
});
