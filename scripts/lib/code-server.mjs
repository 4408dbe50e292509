import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { makeAside } from "./aside.mjs";
import { installDebianPackages } from "./debian.mjs";
import { childEnvironment, userPath } from "./environment.mjs";
import { runNpm } from "./npm.mjs";
import { EDITOR_CACHE } from "./paths.mjs";
import { run } from "./processes.mjs";
import { ExpectedError, step } from "./report.mjs";

/** code-server 4.X carries VS Code 1.X, and runs only on the major version of Node that it was built for. */
const CODE_SERVER_VERSION = "4.139.1";
const NODE_VERSION = "24.21.0";
const BUILD_PACKAGES = ["ca-certificates", "g++", "git", "libkrb5-dev", "make", "pkg-config", "python3"];
/** Includes what only the build needs. */
const INSTALLED_MIB = 1_200;
const FLAGS = ["--no-save", "--no-package-lock", "--no-audit", "--no-fund"];

const NODE_FOLDER = `node/node_modules/node-linux-${process.arch}`;
const NODE = `${NODE_FOLDER}/bin/node`;
const ENTRY = "code-server/node_modules/code-server/out/node/entry.js";

/** Installs code-server if it is missing and resolves to the two files that start it. */
export async function ensureCodeServer() {
  if (process.platform !== "linux") {
    throw new ExpectedError(
      "The browser's VS Code (code-server) is set up on Linux only. Install VS Code, and its `code` command on the PATH (Command Palette: Shell Command: Install 'code' command in PATH).",
    );
  }
  const folder = join(EDITOR_CACHE, `code-server-${CODE_SERVER_VERSION}-node-${NODE_VERSION}`);
  if (!existsSync(join(folder, ENTRY))) {
    await installDebianPackages(BUILD_PACKAGES, "building code-server");
    await step(`Installing code-server ${CODE_SERVER_VERSION} (once for this machine, two to four minutes)`, () =>
      makeAside(folder, INSTALLED_MIB, (building) => install(building, folder)),
    );
  }
  return { node: join(folder, NODE), codeServer: join(folder, ENTRY) };
}

/** @param folder the final place, for the commands to run by hand. */
async function install(building, folder) {
  const nodePackage = `node-linux-${process.arch}@${NODE_VERSION}`;
  const editorPackage = `code-server@${CODE_SERVER_VERSION}`;
  await runNpm(["install", "--prefix", join(building, "node"), ...FLAGS, nodePackage], {
    cwd: building,
    byHand: `npm install --prefix '${folder}/node' ${nodePackage}`,
  });
  const env = buildEnvironment(building);
  await runNpm(["install", "--prefix", join(building, "code-server"), ...FLAGS, editorPackage], {
    cwd: building,
    env,
    byHand: [
      `npm install --prefix '${folder}/node' ${nodePackage}`,
      `PATH='${folder}/${NODE_FOLDER}/bin':$PATH npm_config_nodedir='${folder}/${NODE_FOLDER}' npm install --prefix '${folder}/code-server' ${editorPackage}`,
    ].join("\n  "),
  });
  await run(join(building, NODE), [join(building, ENTRY), "--version"], { cwd: building, env });
}

/** Puts code-server's Node first on the PATH and gives builds its headers. The install script needs all of these settings. */
function buildEnvironment(building) {
  return childEnvironment({
    PATH: join(building, NODE_FOLDER, "bin") + delimiter + userPath(),
    npm_config_nodedir: join(building, NODE_FOLDER),
    // The only package that would look on GitHub for its program first. The others bring theirs or build it.
    npm_config_build_from_source: "kerberos",
    npm_config_ignore_scripts: "false",
    npm_config_include: "optional",
    JOBS: "max",
  });
}
