import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import { installDebianPackages } from "./debian.mjs";
import { EDITOR_CACHE } from "./paths.mjs";
import { childEnvironment, run } from "./processes.mjs";
import { ExpectedError, step } from "./report.mjs";

/** code-server 4.X carries VS Code 1.X, and runs only on the major version of Node that it was built for. */
const CODE_SERVER_VERSION = "4.139.1";
const NODE_VERSION = "24.21.0";
const BUILD_PACKAGES = ["ca-certificates", "g++", "git", "libkrb5-dev", "make", "pkg-config", "python3"];

/**
 * Makes sure that code-server is there and resolves to the two files that start it. A fresh install is built aside and moved into
 * place whole, so that an interrupted one leaves nothing half done.
 */
export async function ensureCodeServer() {
  if (process.platform !== "linux") {
    throw new ExpectedError(
      "The browser's VS Code (code-server) is set up on Linux only. Install VS Code, and its `code` command on the PATH (Command Palette: Shell Command: Install 'code' command in PATH).",
    );
  }
  const folder = join(EDITOR_CACHE, `code-server-${CODE_SERVER_VERSION}-node-${NODE_VERSION}`);
  if (!existsSync(folder)) {
    await installDebianPackages(BUILD_PACKAGES, "building code-server");
    await step(`Installing code-server ${CODE_SERVER_VERSION} (once for this machine, two to four minutes)`, () =>
      install(folder),
    );
  }
  return {
    node: join(folder, nodePackage(), "bin/node"),
    codeServer: join(folder, "code-server/node_modules/code-server/out/node/entry.js"),
  };
}

async function install(folder) {
  mkdirSync(EDITOR_CACHE, { recursive: true });
  const building = mkdtempSync(join(EDITOR_CACHE, "building."));
  try {
    chmodSync(building, 0o755);
    const flags = ["--no-save", "--no-package-lock", "--no-audit", "--no-fund"];
    await run(
      "npm",
      ["install", "--prefix", join(building, "node"), ...flags, `node-linux-${process.arch}@${NODE_VERSION}`],
      { cwd: building },
    );
    const node = join(building, nodePackage());
    const env = childEnvironment({
      PATH: join(node, "bin") + delimiter + process.env.PATH,
      npm_config_nodedir: node,
      npm_config_build_from_source: "true",
      JOBS: "max",
    });
    await run(
      "npm",
      ["install", "--prefix", join(building, "code-server"), ...flags, `code-server@${CODE_SERVER_VERSION}`],
      { cwd: building, env },
    );
    await run(
      join(node, "bin/node"),
      [join(building, "code-server/node_modules/code-server/out/node/entry.js"), "--version"],
      { cwd: building, env },
    );
    if (!existsSync(folder)) renameSync(building, folder);
  } finally {
    rmSync(building, { recursive: true, force: true });
  }
}

function nodePackage() {
  return `node/node_modules/node-linux-${process.arch}`;
}
