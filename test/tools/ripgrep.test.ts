import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { grepTool } from "../../agent/tools/grep.ts";
import { runTool, temporaryFolder, textOf, toolContext } from "../support/run-tool.ts";

/** A program in ripgrep's place that notes its arguments and prints what a test gives it. */
async function ripgrepPrinting(body: string) {
  const folder = await temporaryFolder();
  const workspace = join(folder, "workspace");
  await mkdir(workspace);
  const program = join(folder, "rg");
  await writeFile(program, `#!/bin/sh\nprintf '%s\\n' "$@" > ${folder}/arguments\n${body}\n`);
  await chmod(program, 0o755);
  return { folder, context: toolContext(workspace, { env: { TILLER_RG_PATH: program } }) };
}

describe("grep with ripgrep", () => {
  it("prints its matches like our own search, filtered by glob", async () => {
    const { context } = await ripgrepPrinting(
      "printf './a.ts\\0001:one: 1\\r\\n./a.ts\\0002-two\\n./b.md\\0007:seven\\n'",
    );
    expect(textOf(await runTool(grepTool, { pattern: "x", glob: "*.ts" }, context))).toBe(
      "a.ts:1: one: 1\na.ts-2- two",
    );
  });

  it("passes the pattern so that it cannot be an option", async () => {
    const { folder, context } = await ripgrepPrinting("exit 1");
    expect(textOf(await runTool(grepTool, { pattern: "--pre=sh" }, context))).toBe("No matches found");
    const lines = (await readFile(join(folder, "arguments"), "utf8")).trimEnd().split("\n");
    expect(lines.slice(-4)).toEqual(["-e", "--pre=sh", "--", "./"]);
  });

  it("passes on ripgrep's message about an invalid pattern", async () => {
    const { context } = await ripgrepPrinting("echo 'regex parse error: unclosed group' >&2; exit 2");
    await expect(runTool(grepTool, { pattern: "(" }, context)).rejects.toThrow("regex parse error: unclosed group");
  });

  it("ends ripgrep at the limit", async () => {
    const { context } = await ripgrepPrinting("while :; do printf './f\\0001:hit\\n'; done");
    expect(textOf(await runTool(grepTool, { pattern: "hit", limit: 1 }, context))).toBe(
      "f:1: hit\n\n[1 matches limit reached. Use limit=2 for more, or refine pattern]",
    );
  });

  it("ends ripgrep on abort", async () => {
    const { context } = await ripgrepPrinting("exec sleep 60");
    const abort = new AbortController();
    const result = runTool(grepTool, { pattern: "hit" }, { ...context, signal: abort.signal });
    setTimeout(() => abort.abort(), 100);
    await expect(result).rejects.toThrow("Operation aborted");
  });
});
