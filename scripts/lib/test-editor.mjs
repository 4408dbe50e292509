import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build, packageExtension } from "./build.mjs";
import { ensureChromium } from "./chromium.mjs";
import { ensureCodeServer } from "./code-server.mjs";
import { installDebianPackages } from "./debian.mjs";
import { childEnvironment } from "./environment.mjs";
import { VSIX } from "./paths.mjs";
import { run as runProgram } from "./processes.mjs";
import { step } from "./report.mjs";
import { runVitest } from "./vitest.mjs";

/** Builds, packages and runs the editor tests; resolves to the exit code. */
export async function run(args) {
  await build();
  const { failed } = await runEditorTier(args);
  return failed === 0 ? 0 : 1;
}

/** The editor tests against the packaged extension, made from the bundles that are there; resolves to the totals. */
export function runEditorTier(args) {
  return withEditorPrograms((programs) => runEditorTests(args, programs, "Editor tests"));
}

/** Runs the editor tests once with the programs that `withEditorPrograms` found; resolves to the totals. */
export function runEditorTests(args, programs, title) {
  return step(title, () => runVitest("editor", args, programs));
}

/** Does work that needs an editor with the packaged extension, with the variables that say where the parts are. */
export async function withEditorPrograms(work) {
  const chromium = await ensureChromium();
  const { node, codeServer } = await ensureCodeServer();
  if (process.platform === "linux") await installDebianPackages(["bubblewrap"], "tests of the sandbox");
  await packageExtension();
  const root = await mkdtemp(join(tmpdir(), "tiller-installed-"));
  try {
    return await work({
      TILLER_CHROMIUM: chromium,
      TILLER_CODE_SERVER: codeServer,
      TILLER_CODE_SERVER_NODE: node,
      TILLER_EXTENSION: await install(root, node, codeServer),
    });
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** Installs the package as users do, once for all editors: each gets the folder that came of it. Resolves to that folder. */
async function install(root, node, codeServer) {
  const config = join(root, "config.yaml");
  const extensions = join(root, "extensions");
  await writeFile(config, "{}\n");
  const profile = ["--config", config, "--user-data-dir", join(root, "user"), "--extensions-dir", extensions];
  const env = childEnvironment({ HOME: root, EXTENSIONS_GALLERY: "{}" });
  await runProgram(node, [codeServer, ...profile, "--install-extension", VSIX], { env });
  const entries = await readdir(extensions, { withFileTypes: true });
  const folder = entries.find((entry) => entry.isDirectory() && !entry.name.startsWith("."));
  if (folder === undefined) throw new Error(`${VSIX} left nothing in ${extensions}.`);
  return join(extensions, folder.name);
}
