import { build, packageExtension } from "./build.mjs";
import { ensureChromium } from "./chromium.mjs";
import { ensureCodeServer } from "./code-server.mjs";
import { VSIX } from "./paths.mjs";
import { step } from "./report.mjs";
import { runVitest } from "./vitest.mjs";

/** Builds, packages and runs the editor tests; resolves to the exit code. */
export async function run(args) {
  await build();
  const { failed } = await runEditorTier(args);
  return failed === 0 ? 0 : 1;
}

/** The editor tests against the packaged extension, made from the bundles that are there; resolves to the totals. */
export async function runEditorTier(args) {
  const programs = await editorPrograms();
  return step("Editor tests", () => runVitest("vitest.e2e.config.ts", args, programs));
}

/** Makes sure of what an editor with the packaged extension needs; resolves to the variables that say where it is. */
export async function editorPrograms() {
  const chromium = await ensureChromium();
  const { node, codeServer } = await ensureCodeServer();
  await packageExtension();
  return {
    TILLER_CHROMIUM: chromium,
    TILLER_CODE_SERVER: codeServer,
    TILLER_CODE_SERVER_NODE: node,
    TILLER_VSIX: VSIX,
  };
}
