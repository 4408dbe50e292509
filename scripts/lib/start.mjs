import { buildIfStale } from "./build.mjs";
import { userEnvironment } from "./environment.mjs";
import { findOnPath } from "./processes.mjs";
import { note } from "./report.mjs";
import { prepareSample } from "./sample.mjs";
import { startCodeServer } from "./start-code-server.mjs";
import { startDesktop } from "./start-desktop.mjs";

/**
 * Builds what is stale and opens an editor with Tiller on the sample workspace: the desktop's, when `code` is on the PATH, else
 * one in the browser. `TILLER_START_EDITOR` (`code`, `code-server`) decides otherwise. Resolves to the exit code.
 */
export async function run() {
  await buildIfStale();
  const folder = await prepareSample();
  const code = findOnPath("code");
  const editor = process.env.TILLER_START_EDITOR ?? (code ? "code" : "code-server");
  note(
    process.env.ANTHROPIC_API_KEY
      ? "Using ANTHROPIC_API_KEY: Anthropic's models respond."
      : 'ANTHROPIC_API_KEY isn\'t set. Unless you set up a model in the editor ("Tiller: Set Up a Model"), the demo model responds, a script and not a language model.',
  );
  return editor === "code"
    ? startDesktop(code ?? "code", folder, editorEnvironment())
    : startCodeServer(folder, editorEnvironment());
}

/** The user's own environment: the agent's shell commands should not see which Node runs this script. */
function editorEnvironment() {
  const env = userEnvironment();
  for (const name of Object.keys(env)) {
    if (/^(TILLER_SYSTEM_NODE|NODE_CHANNEL_.*|ELECTRON_RUN_AS_NODE|VSCODE_.*)$/.test(name)) delete env[name];
  }
  return env;
}
