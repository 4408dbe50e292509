import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import { parseEnv } from "node:util";
import { errorMessage } from "../../protocol/errors.ts";
import { readTextSync } from "../../util/read-text.ts";
import type { McpFile } from "./mcp-files.ts";
import type { Env } from "./mcp-parts.ts";

/**
 * Where an entry names a file. The file can choose which code a program loads, so it must be the user's own or in a trusted
 * project.
 */
export interface EnvFilePlace {
  /** The file with the entry. The user's own file names others relative to its folder, all others relative to `cwd`. */
  file: McpFile;
  cwd: string;
  isProjectTrusted: boolean;
}

/**
 * Reads the variables of a file in the dotenv format.
 * @throws Error when the file can't be read, or is in a project that the user hasn't trusted. The error never quotes the file.
 */
export function readEnvFile(path: string, place: EnvFilePlace): Env {
  try {
    return parseEnv(readTextSync(allowedPath(path, place)));
  } catch (error) {
    throw new Error(`its "envFile" can't be read: ${errorMessage(error)}.`, { cause: error });
  }
}

/** Returns a hash of the file's content; undefined if it can't be read. */
export function envFileHash(path: string, place: EnvFilePlace): string | undefined {
  try {
    return createHash("sha256")
      .update(readTextSync(allowedPath(path, place)))
      .digest("hex");
  } catch {
    return undefined; // the start of the server reports the reason
  }
}

function allowedPath(path: string, { file, cwd, isProjectTrusted }: EnvFilePlace): string {
  const own = file.scope === "user" ? dirname(file.path) : undefined;
  const real = realpathSync(resolve(own ?? cwd, path));
  const isOwn = own !== undefined && isInside(real, realpathSync(own));
  if (!isOwn && !isProjectTrusted && isInside(real, realpathSync(cwd))) {
    throw new Error("it is in the project, which you haven't trusted (--approve)");
  }
  return real;
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
