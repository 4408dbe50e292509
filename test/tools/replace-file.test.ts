import { execFileSync } from "node:child_process";
import { chmod, link, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { isUnchanged, replaceFile, withFileLock } from "../../agent/tools/replace-file.ts";
import { temporaryFolder } from "../support/run-tool.ts";

const PROGRAM = fileURLToPath(new URL("../fixtures/replace-under-limit.ts", import.meta.url));
/** More than fits under the limit of 512 KiB. */
const TOO_MUCH = 2_000_000;

interface Circumstances {
  /** How long files of the process may become. */
  maxKiB?: number;
  /** The same in bytes, from the moment on at which the old content has been copied. */
  laterMaxBytes?: number;
  /** Commands that start the process, such as one that takes rights from it. */
  through?: string[];
}

/** Replaces a file by `bytes` bytes, in a process of its own. @returns "written", or the error. */
function replaceInProcess(path: string, bytes: number, circumstances: Circumstances): string {
  const { maxKiB = "unlimited", laterMaxBytes, through = [] } = circumstances;
  const limit = laterMaxBytes === undefined ? [] : [String(laterMaxBytes)];
  const node = [process.execPath, "--no-warnings", PROGRAM, path, String(bytes), ...limit];
  const args = ["-c", `ulimit -f ${maxKiB} && exec "$@"`, "bash", ...through, ...node];
  return execFileSync("bash", args, { encoding: "utf8" }).trim();
}

/** Takes from a process of root the right to write where the permission bits say no. */
const UNPRIVILEGED = process.getuid?.() === 0 ? ["setpriv", "--bounding-set", "-dac_override"] : [];

describe("replaceFile", () => {
  it("leaves the file unchanged on a full disk, without leaving other files", async () => {
    const folder = await temporaryFolder();
    const path = join(folder, "precious.txt");
    await writeFile(path, "precious".repeat(100_000));
    const { ino, mtimeNs } = await stat(path, { bigint: true });
    expect(replaceInProcess(path, TOO_MUCH, { maxKiB: 512 })).toContain("EFBIG");
    expect(await readFile(path, "utf8")).toBe("precious".repeat(100_000));
    expect(await stat(path, { bigint: true })).toMatchObject({ ino, mtimeNs });
    expect(await readdir(folder)).toEqual(["precious.txt"]);
  });

  it("creates no file on a full disk", async () => {
    const folder = await temporaryFolder();
    expect(replaceInProcess(join(folder, "new"), TOO_MUCH, { maxKiB: 512 })).toContain("EFBIG");
    expect(await readdir(folder)).toEqual([]);
  });

  it("restores the old content of a file with several names on a full disk", async () => {
    const folder = await temporaryFolder();
    const path = join(folder, "one");
    await writeFile(path, "old");
    await chmod(path, 0o640);
    await link(path, join(folder, "two"));
    expect(replaceInProcess(path, TOO_MUCH, { maxKiB: 512 })).toContain("EFBIG");
    expect(await readFile(join(folder, "two"), "utf8")).toBe("old");
    expect((await stat(path)).mode & 0o777).toBe(0o640);
    expect((await readdir(folder)).sort()).toEqual(["one", "two"]);
  });

  it("leaves a file with several names alone when there is no room for a copy", async () => {
    const folder = await temporaryFolder();
    const path = join(folder, "one");
    await writeFile(path, "old".repeat(1_000_000));
    await link(path, join(folder, "two"));
    expect(replaceInProcess(path, 10, { maxKiB: 512 })).toContain("EFBIG");
    expect(await readFile(path, "utf8")).toBe("old".repeat(1_000_000));
    expect((await readdir(folder)).sort()).toEqual(["one", "two"]);
  });

  it("names the place of the old content when it could not be restored", async () => {
    const folder = await temporaryFolder();
    const path = join(folder, "one");
    await writeFile(path, "old".repeat(1000));
    await link(path, join(folder, "two"));
    const said = replaceInProcess(path, TOO_MUCH, { laterMaxBytes: 0 });
    expect(said).toContain("EFBIG");
    const kept = /What it held before is in (.*)$/.exec(said)?.[1] ?? said;
    expect(await readFile(kept, "utf8")).toBe("old".repeat(1000));
    expect((await stat(kept)).mode & 0o777).toBe(0o600);
  });

  it("writes in place when the folder allows no new file, and restores the old content on failure", async () => {
    const folder = await temporaryFolder();
    const path = join(folder, "file");
    await writeFile(path, "the old content is longer");
    const { ino } = await stat(path);
    await chmod(folder, 0o555);
    expect(replaceInProcess(path, 10, { through: UNPRIVILEGED })).toBe("written");
    expect(await readFile(path, "utf8")).toBe("nnnnnnnnnn");
    expect(replaceInProcess(path, TOO_MUCH, { maxKiB: 512, through: UNPRIVILEGED })).toContain("EFBIG");
    expect(await readFile(path, "utf8")).toBe("nnnnnnnnnn");
    expect((await stat(path)).ino).toBe(ino);
    await chmod(folder, 0o755);
  });

  it("replaces a file with a name of maximum length", async () => {
    const path = join(await temporaryFolder(), "漢".repeat(84));
    await writeFile(path, "old");
    const { ino } = await stat(path);
    await replaceFile(path, "new");
    expect(await readFile(path, "utf8")).toBe("new");
    expect((await stat(path)).ino).not.toBe(ino);
  });
});

describe("isUnchanged", () => {
  it("notices changed content of the same size, a replaced file and a removed one", async () => {
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
  it("continues after failed work", async () => {
    const path = join(await temporaryFolder(), "f");
    const failing = withFileLock(path, () => Promise.reject(new Error("broken")));
    const following = withFileLock(path, () => replaceFile(path, "written"));
    await expect(failing).rejects.toThrow("broken");
    await following;
    expect(await readFile(path, "utf8")).toBe("written");
  });
});
