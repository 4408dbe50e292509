import { execFile, spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const COMPILERS = { "5.9": "scripts/pinned/node_modules/typescript", newest: "node_modules/typescript" };
const PAGES = ["package.json", "README.md", "CHANGELOG.md", "LICENSE", ".npmignore", "dist/agent", "dist/client"];
const MAX_TARBALL_BYTES = 2.5 * 1024 * 1024;
/** Compilers take long on a machine that is busy. */
const COMPILING_MS = 120_000;
const HOST = `import { startTiller, type TillerClient } from "tiller/client";
import type { ExtensionAPI } from "tiller/extension";
export const start: () => Promise<TillerClient> = startTiller;
export default (pi: ExtensionAPI) => pi.on("session_start", (event) => event.reason.length);
// @ts-expect-error it takes an object
export const wrong = startTiller("x");
`;

/** npm of the tests' own Node, without its network. */
const env = {
  PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
  HOME: "",
  npm_config_offline: "true",
  npm_config_update_notifier: "false",
};
let folder: string;
let project: string;
let tarballBytes = 0;

/** A project in which the package was installed from its tarball. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tiller package "));
  env.HOME = folder;
  const staged = join(folder, "staged");
  for (const page of PAGES) await cp(join(ROOT, page), join(staged, page), { recursive: true });
  await run("node", [join(ROOT, "scripts/declare-client.mjs"), join(staged, "dist/client/types")], staged);
  const [packed] = JSON.parse(
    await run("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", folder], staged),
  );
  tarballBytes = packed.size;
  project = join(folder, "project");
  await mkdir(project);
  await writeFile(join(project, "package.json"), '{ "name": "project", "private": true }\n');
  await run("npm", ["install", "--no-audit", "--no-fund", join(folder, packed.filename)], project);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function run(file: string, args: readonly string[], cwd = project): Promise<string> {
  return (await promisify(execFile)(file, args, { cwd, env, maxBuffer: 50_000_000 })).stdout;
}

describe("the package, installed into an empty project", () => {
  it("brings itself and nothing else, and is small", async () => {
    expect((await readdir(join(project, "node_modules"))).toSorted()).toEqual([".bin", ".package-lock.json", "tiller"]);
    const { dependencies, optionalDependencies, peerDependencies } = JSON.parse(
      await readFile(join(project, "node_modules/tiller/package.json"), "utf8"),
    );
    expect({ dependencies, optionalDependencies, peerDependencies }).toEqual({});
    expect(tarballBytes).toBeLessThan(MAX_TARBALL_BYTES);
  });

  it("runs as npx tiller --mode rpc", async () => {
    const agent = spawn("npx", ["tiller", "--mode", "rpc", "--no-session"], { cwd: project, env });
    agent.stdin.end('{"id":"1","type":"get_state"}\n');
    let said = "";
    for await (const chunk of agent.stdout) said += chunk;
    const frames = said
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(frames).toContainEqual(expect.objectContaining({ id: "1", type: "response", success: true }));
  });

  it.each([
    [
      "an ES module",
      "host.mjs",
      'import { startTiller, RequestFailed } from "tiller/client"; import * as author from "tiller/extension";',
    ],
    [
      "CommonJS",
      "host.cjs",
      'const { startTiller, RequestFailed } = require("tiller/client"); const author = require("tiller/extension");',
    ],
  ])("is imported by %s, and starts its agent", async (_, name, imports) => {
    const body = `${imports}
(async () => {
  const tiller = await startTiller({ args: ["--no-session"] });
  const { isStreaming } = await tiller.commands.getState();
  const failed = await tiller.commands.setModel({ provider: "none", modelId: "none" }).catch((error) => error);
  await tiller.stop();
  console.log(JSON.stringify([isStreaming, failed instanceof RequestFailed, typeof author]));
})();`;
    await writeFile(join(project, name), body);
    expect(JSON.parse(await run("node", [name]))).toEqual([false, true, "object"]);
  });

  describe.each(Object.entries(COMPILERS))("with TypeScript %s and without Node's types", (_, compiler) => {
    it.each([
      ["an ES module", "host.mts", ["--module", "nodenext"]],
      ["CommonJS", "host.cts", ["--module", "nodenext"]],
      ["a bundler's module", "host.ts", ["--module", "esnext", "--moduleResolution", "bundler"]],
    ])(
      "%s has all types",
      async (_kind, name, flags) => {
        await writeFile(join(project, name), HOST);
        const strict = ["--noEmit", "--strict", "--target", "es2022"];
        const ended = run("node", [join(ROOT, compiler, "bin/tsc"), ...strict, ...flags, name]).catch(
          ({ stdout }) => stdout,
        );
        expect(await ended).toBe("");
      },
      COMPILING_MS,
    );
  });
});
