import { chmod, link, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { writeTool } from "../../agent/tools/write.ts";
import { runTool, temporaryFolder, textOf, toolContext } from "../support/run-tool.ts";

describe("write", () => {
  it("creates the folders and counts bytes", async () => {
    const folder = await temporaryFolder();
    const output = await runTool(writeTool, { path: "a/b/c.txt", content: "zwölf" }, toolContext(folder));
    expect(output).toEqual({ content: [{ type: "text", text: "Successfully wrote 6 bytes to a/b/c.txt" }] });
    expect(await readFile(join(folder, "a/b/c.txt"), "utf8")).toBe("zwölf");
  });

  it("keeps permission bits, leaves no other file and follows a link", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "script.sh"), "old");
    await chmod(join(folder, "script.sh"), 0o750);
    await symlink("script.sh", join(folder, "link"));
    await runTool(writeTool, { path: "link", content: "new" }, toolContext(folder));
    expect((await readdir(folder)).sort()).toEqual(["link", "script.sh"]);
    expect((await lstat(join(folder, "link"))).isSymbolicLink()).toBe(true);
    expect((await stat(join(folder, "script.sh"))).mode & 0o777).toBe(0o750);
    expect(await readFile(join(folder, "script.sh"), "utf8")).toBe("new");
  });

  it("writes no notebook that isn't JSON, but an empty one", async () => {
    const folder = await temporaryFolder();
    const write = (content: string) => runTool(writeTool, { path: "a.ipynb", content }, toolContext(folder));
    await expect(write("[Cell 1: code]\nx = 1")).rejects.toThrow("a.ipynb would no longer be a notebook");
    expect(await readdir(folder)).toEqual([]);
    await write("");
    await write('{"cells": [], "nbformat": 4}');
    expect(await readFile(join(folder, "a.ipynb"), "utf8")).toBe('{"cells": [], "nbformat": 4}');
  });

  it("replaces a notebook only by a notebook", async () => {
    const folder = await temporaryFolder();
    const notebook = '{"nbformat": 4, "cells": [{"cell_type": "code", "source": ["x = 1"]}]}';
    const write = (content: string) => runTool(writeTool, { path: "a.ipynb", content }, toolContext(folder));
    await write(notebook);
    for (const content of ["[]", '{"cells": []}', '{"nbformat": 4, "cells": ["x = 1"]}', '"x = 1"']) {
      await expect(write(content)).rejects.toThrow("so nothing was written: the text has no list of valid cells");
    }
    expect(await readFile(join(folder, "a.ipynb"), "utf8")).toBe(notebook);
    await write('{"nbformat": 3, "worksheets": []}');
    expect(await readFile(join(folder, "a.ipynb"), "utf8")).toBe('{"nbformat": 3, "worksheets": []}');
  });

  it("keeps hard links together", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "one"), "old");
    await link(join(folder, "one"), join(folder, "two"));
    await runTool(writeTool, { path: "one", content: "new" }, toolContext(folder));
    expect(await readFile(join(folder, "two"), "utf8")).toBe("new");
  });

  it("applies calls on one file in order", async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, "d"));
    const contents = Array.from({ length: 20 }, (_, index) => String(index));
    const calls = contents.map((content) => runTool(writeTool, { path: "d/x", content }, toolContext(folder)));
    expect((await Promise.all(calls)).map(textOf)).toHaveLength(20);
    expect(await readFile(join(folder, "d/x"), "utf8")).toBe("19");
  });

  it("refuses a folder, and writes nothing after an abort", async () => {
    const folder = await temporaryFolder();
    await expect(runTool(writeTool, { path: ".", content: "" }, toolContext(folder))).rejects.toThrow("EISDIR: ");
    const aborted = toolContext(folder, { signal: AbortSignal.abort() });
    await expect(runTool(writeTool, { path: "x", content: "" }, aborted)).rejects.toThrow("Operation aborted");
    expect(await readdir(folder)).toEqual([]);
  });
});
