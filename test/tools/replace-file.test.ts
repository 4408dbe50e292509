import { readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isUnchanged, replaceFile, withFileLock } from "../../agent/tools/replace-file.ts";
import { temporaryFolder } from "../support/run-tool.ts";

describe("isUnchanged", () => {
  it("sees another content of the same size, a replaced file and a removed one", async () => {
    const path = join(await temporaryFolder(), "f");
    await writeFile(path, "one");
    await utimes(path, 1, 1);
    const known = await stat(path, { bigint: true });
    const seen = [await isUnchanged(path, known)];
    await writeFile(path, "two");
    seen.push(await isUnchanged(path, known));
    await replaceFile(path, "one");
    await utimes(path, 1, 1);
    seen.push(await isUnchanged(path, known));
    await rm(path);
    seen.push(await isUnchanged(path, known));
    expect(seen).toEqual([true, false, false, false]);
  });
});

describe("withFileLock", () => {
  it("goes on after work that failed", async () => {
    const path = join(await temporaryFolder(), "f");
    const failing = withFileLock(path, () => Promise.reject(new Error("broken")));
    const following = withFileLock(path, () => replaceFile(path, "written"));
    await expect(failing).rejects.toThrow("broken");
    await following;
    expect(await readFile(path, "utf8")).toBe("written");
  });
});
