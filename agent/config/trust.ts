import { readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod";
import { errorMessage } from "../protocol/errors.ts";

/** Folders by their real path; `null` says nothing. The format is pi's, so that one file serves both. */
const TrustFile = z.record(z.string(), z.boolean().nullable());

/**
 * Whether the user once said that what a project brings may run: the nearest folder that `AGENT_DIR/trust.json` knows decides. A file that
 * cannot be read is told of and trusts nothing.
 */
export function isTrustStored(agentDir: string, cwd: string, warn: (message: string) => void): boolean {
  const path = join(agentDir, "trust.json");
  let stored: z.infer<typeof TrustFile>;
  try {
    stored = TrustFile.parse(JSON.parse(readFileSync(path, "utf8").replace(/^\uFEFF/, "")));
  } catch (error) {
    const isAbsent = error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
    if (!isAbsent)
      warn(
        `${path} is skipped: ${error instanceof z.ZodError ? "it maps folders to true or false" : errorMessage(error)}`,
      );
    return false;
  }
  for (let folder = realPath(cwd), last = ""; folder !== last; last = folder, folder = dirname(folder)) {
    const decision = Object.hasOwn(stored, folder) ? stored[folder] : null;
    if (decision === true || decision === false) return decision;
  }
  return false;
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // whoever needs the folder says that it is gone
  }
}
