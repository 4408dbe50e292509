import { resolve } from "node:path";
import { parseEnv } from "node:util";
import { errorMessage } from "../../protocol/errors.ts";
import { readTextSync } from "../../util/read-text.ts";
import type { Env } from "./mcp-parts.ts";

/**
 * Reads the variables of a file in the dotenv format. @param path relative to `cwd`.
 * @throws Error when the file can't be read. The error never quotes the file.
 */
export function readEnvFile(path: string, cwd: string): Env {
  const file = resolve(cwd, path);
  try {
    return parseEnv(readTextSync(file));
  } catch (error) {
    throw new Error(`its "envFile" can't be read: ${errorMessage(error)}.`, { cause: error });
  }
}
