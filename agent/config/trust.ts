import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod";
import { APP_NAME } from "../protocol/envelope.ts";
import { errorMessage } from "../protocol/errors.ts";
import { readTextSync } from "../util/read-text.ts";
import { realPath, writePrivately } from "./private-file.ts";

/** Folders by their real path; `null` says nothing. The format is pi's, so that one file serves both. */
const TrustFile = z.lazy(() => z.record(z.string(), z.boolean().nullable()));

/** Parts of a project that would run with the user's rights. */
const TAKES_TRUST = [
  ...[`.${APP_NAME}`, ".pi"].flatMap((folder) => [join(folder, "settings.json"), join(folder, "extensions")]),
  ...[`.${APP_NAME}/mcp.json`, ".mcp.json", ".vscode/mcp.json"],
  ...[".claude/settings.json", ".claude/settings.local.json", ".github/hooks"],
];

/** True when a project holds anything that the user has to trust. */
export function takesTrust(cwd: string): boolean {
  return TAKES_TRUST.some((path) => existsSync(join(cwd, path)));
}

/**
 * Returns whether the user has allowed what the project brings to run: the nearest folder in `AGENT_DIR/trust.json` decides. A file that
 * cannot be read trusts nothing and causes a warning.
 * @returns undefined if nothing is decided.
 */
export function storedTrust(agentDir: string, cwd: string, warn: (message: string) => void): boolean | undefined {
  const stored = readTrust(agentDir, warn);
  if (stored === undefined) return undefined;
  for (let folder = realPath(cwd), last = ""; folder !== last; last = folder, folder = dirname(folder)) {
    const decision = Object.hasOwn(stored, folder) ? stored[folder] : null;
    if (decision === true || decision === false) return decision;
  }
  return undefined;
}

/** Keeps a decision about a project for later. A file that cannot be read is left as it is, after a warning. */
export function storeTrust(agentDir: string, cwd: string, isTrusted: boolean, warn: (message: string) => void): void {
  const stored = readTrust(agentDir, warn);
  if (stored === undefined) return;
  const path = realPath(join(agentDir, "trust.json")); // it may be a link to pi's
  writePrivately(path, `${JSON.stringify({ ...stored, [realPath(cwd)]: isTrusted }, undefined, 2)}\n`, warn);
}

/** Reads all decisions. @returns undefined when the file cannot be read, after a warning. */
function readTrust(agentDir: string, warn: (message: string) => void): z.infer<typeof TrustFile> | undefined {
  const path = join(agentDir, "trust.json");
  try {
    return TrustFile.parse(JSON.parse(readTextSync(path)));
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")) return {};
    const problem = error instanceof z.ZodError ? "it maps folders to true or false" : errorMessage(error);
    warn(`${path} is skipped: ${problem}`);
    return undefined;
  }
}
