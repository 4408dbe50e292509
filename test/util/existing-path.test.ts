import { mkdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeEach, describe, expect, it } from "vitest";
import { resolveExistingPath, resolveNewPath } from "../../agent/util/existing-path.ts";
import { temporaryFolder } from "../support/run-tool.ts";

let cwd = "";

beforeEach(async () => {
  cwd = await temporaryFolder();
  await mkdir(join(cwd, "src"));
});

async function put(name: string): Promise<string> {
  await writeFile(join(cwd, name), "");
  return join(cwd, name);
}

describe("a path of something that is there", () => {
  it.each([
    ["quotes", '"src/a b.ts"'],
    ["a quote of code", "`src/a b.ts`"],
    ["curly quotes", "“src/a b.ts”"],
    ["blanks around it", " src/a b.ts \n"],
    ["a line", "src/a b.ts:12"],
    ["a line and a column", "src/a b.ts:12:5"],
    ["lines", "src/a b.ts:12-20"],
    ["a line in quotes", "'src/a b.ts:3'"],
    ["an at sign", "@src/a b.ts"],
    ["a no-break space", "src/a\u00a0b.ts"],
  ])("is found without %s", async (_what, path) => {
    const file = await put("src/a b.ts");
    expect(await resolveExistingPath(cwd, path)).toBe(file);
  });

  it("is found by its URL, and with the name of the folder before it", async () => {
    const file = await put("src/a b.ts");
    const name = basename(cwd);
    const paths = [pathToFileURL(file).href, `${name}/src/a b.ts`, join(cwd, name, "src/a b.ts:7")];
    expect(await Promise.all(paths.map((path) => resolveExistingPath(cwd, path)))).toEqual([file, file, file]);
  });

  it.each([
    ["a narrow space", "Shot 1.23\u202fPM.png", "Shot 1.23 PM.png"],
    ["a curly quote", "it’s.txt", "it's.txt"],
    ["decomposed letters", "cafe\u0301.txt", "caf\u00e9.txt"],
    ["composed letters", "caf\u00e9.txt", "cafe\u0301.txt"],
  ])("is found when its name has %s", async (_what, name, path) => {
    const file = await put(name);
    expect(await resolveExistingPath(cwd, path)).toBe(file);
  });

  it("is what the path says before anything else", async () => {
    await put("a.ts");
    const files = await Promise.all(["a.ts:12", "a.ts ", '"a.ts"'].map(put));
    const found = await Promise.all(["a.ts:12", "a.ts ", '"a.ts"'].map((path) => resolveExistingPath(cwd, path)));
    expect(found).toEqual(files);
  });

  it("is not guessed when two names look alike", async () => {
    await put("it’s.txt");
    await put("it‘s.txt");
    expect(await resolveExistingPath(cwd, "it's.txt")).toBe(join(cwd, "it's.txt"));
  });
});

describe("the path of a new file", () => {
  it("loses quotes, blanks and file://, and nothing else", async () => {
    await put("src/a.ts");
    const paths = ['"src/b.ts"', "src/b.ts ", pathToFileURL(join(cwd, "src/b.ts")).href];
    const found = await Promise.all(paths.map((path) => resolveNewPath(cwd, path)));
    expect(new Set(found)).toEqual(new Set([join(cwd, "src/b.ts")]));
    expect(await resolveNewPath(cwd, `${basename(cwd)}/src/a.ts`)).toBe(join(cwd, basename(cwd), "src/a.ts"));
  });
});
