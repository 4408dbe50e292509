import { build } from "./build.mjs";
import { ensureChromium } from "./chromium.mjs";
import { childEnvironment } from "./environment.mjs";
import { exitCodeOf } from "./processes.mjs";
import { runEditorTier } from "./test-editor.mjs";

/** Takes the pictures of chat and editor, those of the README among them; resolves to the exit code. */
export async function run() {
  await build();
  process.env.TILLER_WRITE_SCREENSHOT = "1";
  const { failed } = await runEditorTier(["looks"]);
  if (failed > 0) return 1;
  const env = childEnvironment({ TILLER_CHROMIUM: await ensureChromium() });
  return exitCodeOf(process.execPath, ["scripts/pictures.ts"], { env });
}
