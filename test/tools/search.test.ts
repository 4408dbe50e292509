import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { findTool } from "../../agent/tools/find.ts";
import { grepTool } from "../../agent/tools/grep.ts";
import { lsTool } from "../../agent/tools/ls.ts";
import type { AnyTool } from "../../agent/tools/tool.ts";
import { runTool, temporaryFolder, textOf, toolContext } from "../support/run-tool.ts";

/** A PATH without ripgrep, so that our own search runs. */
const WITHOUT_RIPGREP = { PATH: "/nowhere", TILLER_RG_PATH: "" };

async function project(files: Record<string, string | Buffer>): Promise<string> {
  const folder = await temporaryFolder();
  await mkdir(join(folder, ".git"));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return folder;
}

function run(tool: AnyTool, folder: string, args: unknown, signal = new AbortController().signal) {
  return runTool(tool, args, toolContext(folder, { env: WITHOUT_RIPGREP, signal }));
}

describe("grep", () => {
  it("prints path, line and text in the order of the paths", async () => {
    const folder = await project({ "b.ts": "x\nneedle 1\n", "a/z.ts": "needle 2\r\n", ".hidden": "needle 3" });
    expect(await run(grepTool, folder, { pattern: "needle \\d" })).toEqual({
      content: [{ type: "text", text: ".hidden:1: needle 3\na/z.ts:1: needle 2\nb.ts:2: needle 1" }],
    });
  });

  it("shows context once, with dashes", async () => {
    const folder = await project({ f: "1\n2\nhit\n4\nhit\n6\n7\n" });
    expect(textOf(await run(grepTool, folder, { pattern: "hit", context: 1 }))).toBe(
      "f-2- 2\nf:3: hit\nf-4- 4\nf:5: hit\nf-6- 6",
    );
  });

  it("accepts plain text, ignores case in both spellings and filters by glob", async () => {
    const folder = await project({ "a.ts": "F(x)", "b/c.ts": "f(x)", "d.md": "f(x)" });
    const search = async (args: object) =>
      textOf(await run(grepTool, folder, { pattern: "f(x)", literal: true, ...args }));
    expect(await search({ glob: "*.ts", ignoreCase: true })).toBe("a.ts:1: F(x)\nb/c.ts:1: f(x)");
    expect(await search({ glob: "b/**", i: true })).toBe("b/c.ts:1: f(x)");
    expect(await search({ path: "b/c.ts" })).toBe("c.ts:1: f(x)");
  });

  it("leaves out ignored files at any level, binary files and .git", async () => {
    const folder = await project({
      ".gitignore": "*.log\n/build/\n",
      "sub/.gitignore": "!keep.log\nlocal\n",
      "a.log": "hit",
      "build/out": "hit",
      "sub/keep.log": "hit",
      "sub/local": "hit",
      "sub/build/ok": "hit",
      "bin.dat": Buffer.from("hit\0"),
      ".git/config": "hit",
    });
    expect(textOf(await run(grepTool, folder, { pattern: "hit" }))).toBe("sub/build/ok:1: hit\nsub/keep.log:1: hit");
    expect(textOf(await run(grepTool, folder, { pattern: "hit", path: "sub" }))).toBe(
      "build/ok:1: hit\nkeep.log:1: hit",
    );
  });

  it("follows no links", async () => {
    const folder = await project({ f: "hit", "d/g": "" });
    await symlink("f", join(folder, "to-file"));
    await symlink(".", join(folder, "d", "to-folder"));
    expect(textOf(await run(grepTool, folder, { pattern: "hi." }))).toBe("f:1: hit");
  });

  it("reports no match and a missing path", async () => {
    const folder = await project({ f: "text" });
    expect(textOf(await run(grepTool, folder, { pattern: "zzz" }))).toBe("No matches found");
    await expect(run(grepTool, folder, { pattern: "x", path: "none" })).rejects.toThrow("Path not found: none");
  });

  it("stops at the limit and cuts long lines", async () => {
    const folder = await project({ f: `${"hit\n".repeat(5)}`, g: `hit${"x".repeat(600)}` });
    expect(await run(grepTool, folder, { pattern: "hit", limit: 2 })).toEqual({
      content: [
        {
          type: "text",
          text: "f:1: hit\nf:2: hit\n\n[2 matches limit reached. Use limit=4 for more, or refine pattern]",
        },
      ],
      details: { matchLimitReached: 2 },
    });
    const long = await run(grepTool, folder, { pattern: "hitx" });
    expect(textOf(long)).toBe(
      `g:1: hit${"x".repeat(497)}... [truncated]\n\n[Some lines truncated to 500 chars. Use read tool to see full lines]`,
    );
    expect(long.details).toEqual({ linesTruncated: true });
  });

  it("keeps the result below 50 KB", async () => {
    const folder = await project({ f: `${"hit".padEnd(400)}\n`.repeat(300) });
    const output = await run(grepTool, folder, { pattern: "hit", limit: 300 });
    expect(textOf(output)).toMatch(/\n\n\[50\.0KB limit reached\]$/);
    expect(output.details).toMatchObject({ truncation: { truncated: true, truncatedBy: "bytes" } });
  });

  it("shows the regex engine's message about an invalid pattern", async () => {
    const folder = await project({ f: "text" });
    await expect(run(grepTool, folder, { pattern: "(" })).rejects.toThrow(/^regex parse error: .*Unterminated group/);
  });

  it("gives up on a pattern that backtracks forever", async () => {
    const folder = await project({ f: "a".repeat(60) });
    await expect(run(grepTool, folder, { pattern: "(a+)+$b" })).rejects.toThrow(
      "The pattern takes too long on f. Make it simpler, or use literal.",
    );
  });

  it("starts nothing after an abort", async () => {
    const folder = await project({ f: "text" });
    await expect(run(grepTool, folder, { pattern: "x" }, AbortSignal.abort())).rejects.toThrow("Operation aborted");
  });
});

describe("find", () => {
  it("matches names at any depth or whole paths, hidden ones too, and marks folders", async () => {
    const folder = await project({ "a.ts": "", "src/b.ts": "", "src/x/.c.ts": "", "src/d.js": "" });
    const find = async (pattern: string) => textOf(await run(findTool, folder, { pattern }));
    expect(await find("*.ts")).toBe("a.ts\nsrc/b.ts\nsrc/x/.c.ts");
    expect(await find("src/*.ts")).toBe("src/b.ts");
    expect(await find("src/**/*.{ts,js}")).toBe("src/b.ts\nsrc/d.js\nsrc/x/.c.ts");
    expect(await find("x")).toBe("src/x/");
  });

  it("leaves out ignored files, node_modules and .git, and does not follow links", async () => {
    const folder = await project({ ".gitignore": "*.tmp", "a.tmp": "", "node_modules/m/f": "", "d/f": "" });
    await symlink("..", join(folder, "d", "loop"));
    expect(textOf(await run(findTool, folder, { pattern: "**" }))).toBe(".gitignore\nd/\nd/f\nd/loop");
    expect(textOf(await run(findTool, folder, { pattern: "f", path: "node_modules" }))).toBe("m/f");
  });

  it("reports no match, a missing path and a reached limit", async () => {
    const folder = await project({ a: "", b: "", c: "" });
    expect(textOf(await run(findTool, folder, { pattern: "*.zzz" }))).toBe("No files found matching pattern");
    await expect(run(findTool, folder, { pattern: "*", path: "none" })).rejects.toThrow("Path not found: none");
    expect(await run(findTool, folder, { pattern: "?", limit: 2 })).toEqual({
      content: [{ type: "text", text: "a\nb\n\n[2 results limit reached. Use limit=4 for more, or refine pattern]" }],
      details: { resultLimitReached: 2 },
    });
  });

  it("starts nothing after an abort", async () => {
    const folder = await project({});
    await expect(run(findTool, folder, { pattern: "*" }, AbortSignal.abort())).rejects.toThrow("Operation aborted");
  });
});

describe("ls", () => {
  it("sorts without regard to case and marks folders and links to folders", async () => {
    const folder = await project({ B: "", a: "", ".dot": "", "C/x": "" });
    await symlink("C", join(folder, "link"));
    expect(await run(lsTool, folder, {})).toEqual({
      content: [{ type: "text", text: ".dot\n.git/\na\nB\nC/\nlink/" }],
    });
    expect(textOf(await run(lsTool, folder, { path: ".git" }))).toBe("(empty directory)");
  });

  it("stops at the limit", async () => {
    const folder = await project({ a: "", b: "" });
    expect(await run(lsTool, folder, { limit: 2 })).toEqual({
      content: [{ type: "text", text: ".git/\na\n\n[2 entries limit reached. Use limit=4 for more]" }],
      details: { entryLimitReached: 2 },
    });
  });

  it("reports a missing path or one that is not a folder", async () => {
    const folder = await project({ f: "" });
    await expect(run(lsTool, folder, { path: "none" })).rejects.toThrow("Path not found: none");
    await expect(run(lsTool, folder, { path: "f" })).rejects.toThrow("Not a directory: f");
  });
});
