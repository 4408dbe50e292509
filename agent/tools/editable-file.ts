import { isUtf8 } from "node:buffer";
import { access, constants, readFile, stat } from "node:fs/promises";
import { resolveExistingPath } from "../util/existing-path.ts";
import { isSystemError } from "../util/paths.ts";
import { formatSize } from "../util/truncate.ts";
import { ordinaryPath } from "../util/windows-names.ts";
import { PathNotFound } from "./path-not-found.ts";
import { isUnchanged, replaceFile } from "./replace-file.ts";
import { stampOfStats } from "./seen-files.ts";

/** Larger files are left to other tools. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** A text that `edit` is about to change. */
export interface LoadedText {
  text: string;
  /** Differs for every state of the file; undefined when that is not known. */
  stamp?: string | undefined;
  /** True if the file is still as it was before it was read. */
  isUnchanged(): Promise<boolean>;
}

/** Reads and writes files for `edit`. Everything throws an Error whose text is for the model. */
export interface EditFiles {
  /** Absolute path of what the model named. */
  locate(cwd: string, shownPath: string): Promise<string>;
  /** The URI that the model gave instead of a path, if only an editor opens it. */
  addressOf?(cwd: string, shownPath: string): Promise<string | undefined>;
  load(path: string, shownPath: string): Promise<LoadedText>;
  save(path: string, content: string, shownPath: string): Promise<void>;
}

/** The files of this machine. */
export const localEditFiles: EditFiles = {
  locate: async (cwd, path) => ordinaryPath(await resolveExistingPath(cwd, path)),
  load: loadLocalFile,
  save: (path, content, shownPath) =>
    replaceFile(path, content).catch((error: unknown) => failWithCode(error, shownPath)),
};

async function loadLocalFile(path: string, shownPath: string): Promise<LoadedText> {
  const stats = await stat(path, { bigint: true }).catch((error: unknown) => {
    if (isSystemError(error) && error.code === "ENOENT") throw new PathNotFound(notFoundText(shownPath), shownPath);
    return failWithCode(error, shownPath);
  });
  if (stats.isDirectory()) throw refusal(shownPath, "Error code: EISDIR.");
  if (!stats.isFile()) throw refusal(shownPath, "It is not a regular file.");
  if (stats.size > MAX_FILE_BYTES) throw tooLarge(shownPath, Number(stats.size));
  try {
    await access(path, constants.R_OK | constants.W_OK);
    const text = decodeText(await readFile(path), shownPath);
    return { text, stamp: stampOfStats(stats), isUnchanged: () => isUnchanged(path, stats) };
  } catch (error) {
    return failWithCode(error, shownPath);
  }
}

/** The text of a file. @throws Error that says why it cannot be edited. */
export function decodeText(bytes: Buffer, shownPath: string): string {
  if (bytes.length > MAX_FILE_BYTES) throw tooLarge(shownPath, bytes.length);
  if (!isUtf8(bytes)) throw refusal(shownPath, "It is not UTF-8 text. Use bash instead.");
  return bytes.toString();
}

/** Words an error of the file system for the model, and throws others on. */
export function failWithCode(error: unknown, shownPath: string): never {
  if (!isSystemError(error)) throw error;
  if (error.code === "ENOENT") throw new Error(notFoundText(shownPath), { cause: error });
  throw new Error(`Could not edit file: ${shownPath}. Error code: ${error.code}.`, { cause: error });
}

function notFoundText(shownPath: string): string {
  return `File not found: ${shownPath}`;
}

function tooLarge(shownPath: string, bytes: number): Error {
  return refusal(
    shownPath,
    `It is ${formatSize(bytes)}, and the limit is ${formatSize(MAX_FILE_BYTES)}. Use bash instead.`,
  );
}

function refusal(shownPath: string, reason: string): Error {
  return new Error(`Could not edit file: ${shownPath}. ${reason}`);
}
