import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { editTool } from "../../agent/tools/edit.ts";
import { grepTool } from "../../agent/tools/grep.ts";
import { lsTool } from "../../agent/tools/ls.ts";
import { readTool } from "../../agent/tools/read.ts";
import type { AnyTool } from "../../agent/tools/tool.ts";
import { writeTool } from "../../agent/tools/write.ts";
import { runTool, temporaryFolder, textOf, toolContext } from "../support/run-tool.ts";

let cwd = "";

beforeEach(async () => {
  cwd = await temporaryFolder();
  await mkdir(join(cwd, "src/store"), { recursive: true });
  await mkdir(join(cwd, "node_modules/x"), { recursive: true });
  for (const name of ["src/store/settings.ts", "src/index.ts", "README.md", "node_modules/x/settings.ts"]) {
    await writeFile(join(cwd, name), "one\n");
  }
});

function failure(tool: AnyTool, args: Record<string, unknown>, parts = {}): Promise<string> {
  return runTool(tool, args, toolContext(cwd, parts)).then(
    () => "",
    (error: unknown) => (error instanceof Error ? error.message : ""),
  );
}

describe("a path that is not there", () => {
  it.each<[string, AnyTool, Record<string, unknown>, string]>([
    ["in another folder", readTool, { path: "src/settings.ts" }, "src/store/settings.ts"],
    ["outside", readTool, { path: "/nowhere/settings.ts" }, "src/store/settings.ts"],
    ["with a typing error", readTool, { path: "src/store/setings.ts" }, "src/store/settings.ts"],
    ["with another extension", readTool, { path: "src/index.js" }, "src/index.ts"],
    ["in other case", readTool, { path: "readme.md" }, "README.md"],
    ["for an edit", editTool, { path: "index.ts", oldText: "a", newText: "b" }, "src/index.ts"],
    ["of a folder", lsTool, { path: "store" }, "src/store"],
    ["to search", grepTool, { pattern: "x", path: "settings.ts" }, "src/store/settings.ts"],
  ])("is answered with the nearest one: %s", async (_what, tool, args, nearest) => {
    expect(await failure(tool, args)).toContain(`\nDid you mean ${nearest}?`);
  });

  it("is answered with none when none is near, or when the nearest may not be read", async () => {
    expect(await failure(readTool, { path: "unlike-anything.zip" })).not.toContain("Did you mean");
    const leavesOut = async () => (path: string) => path.startsWith("src/store");
    expect(await failure(readTool, { path: "settings.ts" }, { leavesOut })).not.toContain("Did you mean");
  });
});

describe("a path in another form", () => {
  it("is read", async () => {
    expect(textOf(await runTool(readTool, { path: "'src/index.ts:1'" }, toolContext(cwd)))).toBe("one\n");
  });

  it("makes a file under its plain name, and none that is named like a line of a file", async () => {
    await runTool(writeTool, { path: '"src/new.ts"', content: "" }, toolContext(cwd));
    expect(await failure(writeTool, { path: "src/new.ts:1", content: "" })).toBe(
      "src/new.ts:1 is a line of a file. Give the path of the file without the line number.",
    );
    expect(await readdir(join(cwd, "src"))).toEqual(["index.ts", "new.ts", "store"]);
  });
});
