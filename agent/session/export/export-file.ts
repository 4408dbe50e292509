import { randomBytes } from "node:crypto";
import { mkdir, open, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { expandPath } from "../../config/paths.ts";
import type { ExportFormat } from "../../protocol/commands.ts";
import { APP_NAME } from "../../protocol/envelope.ts";
import { AgentError, errorMessage } from "../../protocol/errors.ts";
import { documentParts, linesParts } from "./document.ts";
import { pageParts } from "./page.ts";
import type { SessionPage } from "./session-page.ts";

/** The approximate size of the pieces in which a page is written; the process does other work between them. */
const PIECE_CHARACTERS = 256 * 1024;
/** The mode of a session file: only its owner can read it. */
const FILE_MODE = 0o600;

/** The source and the target of an export. */
export interface ExportTarget {
  /** Undefined for a session in memory. */
  sessionFile: string | undefined;
  cwd: string;
  /** Relative to `cwd`; default is `tiller-session-<name of the session file, else its id>` with the format's ending. */
  outputPath: string | undefined;
  format: ExportFormat;
}

/** The writer and the file extension of each format. */
const FORMATS: { readonly [F in ExportFormat]: { parts(page: SessionPage): Iterable<string>; ending: string } } = {
  html: { parts: pageParts, ending: "html" },
  markdown: { parts: documentParts, ending: "md" },
  jsonl: { parts: linesParts, ending: "jsonl" },
};

/**
 * Writes a session to a file, completely or not at all; creates missing folders.
 * @returns the absolute path of the file.
 * @throws AgentError invalid_request when there is nothing to export or the file cannot be written.
 */
export async function exportSession(page: SessionPage, target: ExportTarget): Promise<string> {
  if (!page.entries.some(({ known }) => known?.type === "message")) throw nothingToExport();
  const { parts, ending } = FORMATS[target.format];
  const session = target.sessionFile === undefined ? page.header.id : basename(target.sessionFile, ".jsonl");
  const name = `${APP_NAME}-session-${session}.${ending}`;
  const path = expandPath(target.outputPath?.trim() || name, target.cwd);
  try {
    await mkdir(dirname(path), { recursive: true });
    const file = await realpath(path).catch(() => path); // not there yet
    await refuseOtherFiles(file, target.sessionFile);
    await replaceFile(file, parts(page));
  } catch (error) {
    throw new AgentError(
      "invalid_request",
      `Couldn't write ${target.format === "html" ? "the page" : "the session"} to ${path}: ${errorMessage(error)}. Choose another output path.`,
      { cause: error },
    );
  }
  return path;
}

/** Returns the error for an export without any messages. */
export function nothingToExport(): AgentError {
  return new AgentError("invalid_request", "Nothing to export yet - start a conversation first");
}

async function refuseOtherFiles(path: string, sessionFile: string | undefined): Promise<void> {
  const existing = await stat(path).catch(() => undefined);
  if (existing === undefined) return;
  if (!existing.isFile()) throw new Error(existing.isDirectory() ? "it is a folder" : "it is not a regular file");
  if (sessionFile === undefined) return;
  const session = await stat(sessionFile);
  if (existing.ino === session.ino && existing.dev === session.dev) throw new Error("it is the session itself");
}

async function replaceFile(path: string, parts: Iterable<string>): Promise<void> {
  const temporary = join(dirname(path), `.tiller-${randomBytes(6).toString("hex")}.tmp`);
  try {
    const file = await open(temporary, "wx", FILE_MODE);
    try {
      for (const piece of largePieces(parts)) await file.writeFile(piece);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

function* largePieces(parts: Iterable<string>): Generator<string> {
  let piece = "";
  for (const part of parts) {
    piece += part;
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = "";
  }
  if (piece !== "") yield piece;
}
