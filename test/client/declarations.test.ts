import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const COMPILER = join(ROOT, "node_modules/typescript/bin/tsc");
const FLAGS = [
  "--ignoreConfig",
  "--noEmit",
  "--strict",
  "--target",
  "es2023",
  "--module",
  "nodenext",
  "--types",
  "node",
];
let folder: string;

/** A project that has the package and Node's types, and nothing else. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tiller-types-"));
  const installed = join(folder, "node_modules/tiller");
  await mkdir(join(folder, "node_modules/@types"), { recursive: true });
  await symlink(join(ROOT, "node_modules/@types/node"), join(folder, "node_modules/@types/node"));
  await run([join(ROOT, "scripts/declare-client.mjs"), join(installed, "dist/client/types")]);
  await copyFile(join(ROOT, "package.json"), join(installed, "package.json"));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function run(args: readonly string[]): Promise<string> {
  return (await promisify(execFile)(process.execPath, args, { cwd: folder })).stdout;
}

/** Compiles one fixture in that project. @returns what the compiler says. */
async function compile(name: string): Promise<string> {
  const source = await readFile(join(ROOT, "test/fixtures/declarations", name), "utf8");
  await writeFile(join(folder, name), source.replaceAll("SOURCES", join(ROOT, "agent")));
  const flags = [...FLAGS, "--allowImportingTsExtensions", name];
  return run([COMPILER, ...flags]).catch(({ stdout }) => String(stdout));
}

describe("the type declarations of the package", () => {
  it("work for a host without a schema library", async () => {
    expect(await compile("host.mts")).toBe("");
  });

  it("work for an extension, with the types of its tools, commands and events", async () => {
    expect(await compile("extension.mts")).toBe("");
  });

  it("work for another extension of the editor", async () => {
    expect(await compile("api-user.mts")).toBe("");
  });

  it("match the sources for every command and event", async () => {
    expect(await compile("same-types.mts")).toBe("");
  });
});
