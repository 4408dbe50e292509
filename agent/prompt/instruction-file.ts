import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from "node:fs";
import { whyNotOfProject } from "./project-files.ts";
import { escapeMarkup } from "./skill-text.ts";

/** The program whose format a file of instructions has. */
export type InstructionKind = "agents" | "claude" | "copilot" | "cursor";

/** A file of instructions for the model. */
export interface InstructionFile {
  path: string;
  text: string;
  kind: InstructionKind;
  /** Globs of the files that it applies to. */
  globs?: readonly string[] | undefined;
}

/** Decides which files are read as instructions. */
export interface InstructionAccess {
  home: string;
  /** Which formats are read. */
  kinds: Readonly<Record<InstructionKind, boolean>>;
  /** True for a file that no tool may read. */
  isDenied(path: string): boolean;
  /** Hears of a file that is left out. */
  warn(message: string): void;
}

/** Instructions longer than this, in UTF-16 units, are cut: they would push the conversation out of the window. */
const MAX_FILE_LENGTH = 200_000;
/** A character has at most three bytes for each UTF-16 unit. */
const MAX_FILE_BYTES = 3 * MAX_FILE_LENGTH + 4;

/**
 * Reads instructions, if they are there and may be read.
 * @param root the folder that the file has to lie in once links are followed; undefined for what is the user's own.
 * @returns undefined for what is missing, empty, not text, or not allowed; the last two are reported.
 */
export function readInstructions(
  path: string,
  root: string | undefined,
  access: InstructionAccess,
): string | undefined {
  const real = realPathOf(path);
  if (real === undefined) return undefined;
  const problem = whyNotRead(path, real, root, access);
  if (problem !== undefined) {
    access.warn(problem);
    return undefined;
  }
  const bytes = readBytes(real);
  if (bytes?.includes(0)) {
    access.warn(`${path} is left out because it isn't text.`);
    return undefined;
  }
  const text = bytes === undefined ? "" : new TextDecoder().decode(bytes, { stream: true });
  if (text.trim() === "") return undefined;
  return text.length > MAX_FILE_LENGTH ? `${text.slice(0, MAX_FILE_LENGTH)}\n[cut]` : text;
}

/** Returns the path once links are followed; undefined for what is not there. */
export function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined; // most folders have none, and one that cannot be reached is no reason not to start
  }
}

/** Returns instructions in markup that their own text cannot close. */
export function instructionBlock({ path, text, globs }: Pick<InstructionFile, "path" | "text" | "globs">): string {
  const files = globs === undefined ? "" : ` files="${escapeMarkup(globs.join(", "))}"`;
  const content = text.trim().replace(/<(?=\/?(?:instructions|system-reminder)\b)/gi, "&lt;");
  return `<instructions path="${escapeMarkup(path)}"${files}>\n${content}\n</instructions>`;
}

function whyNotRead(
  path: string,
  real: string,
  root: string | undefined,
  { isDenied }: InstructionAccess,
): string | undefined {
  if (isDenied(path) || isDenied(real)) return `${path} is left out because denyRead names it.`;
  return root === undefined ? undefined : whyNotOfProject(path, root);
}

function readBytes(path: string): Buffer | undefined {
  let fd: number | undefined;
  try {
    // A pipe would be waited for, and a device may have no end.
    fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stats = fstatSync(fd);
    if (!stats.isFile()) return undefined;
    const bytes = Buffer.alloc(Math.min(stats.size, MAX_FILE_BYTES));
    return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0));
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
