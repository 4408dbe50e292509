import { readFileSync, type Stats, statSync } from "node:fs";
import { UsageError } from "../../config/args.ts";
import { expandPath } from "../../config/paths.ts";
import { attachItems } from "../../protocol/attached.ts";
import { errorMessage } from "../../protocol/errors.ts";
import { kindOf } from "../../tools/file-kind.ts";
import { formatSize } from "../../util/truncate.ts";

/** More text than this fits no model. */
const MAX_TEXT_BYTES = 10 * 1024 * 1024;

/** A message to send, with its images. */
export interface HeadlessPrompt {
  message: string;
  images: { type: "image"; data: string; mimeType: string }[];
}

/** Something that the first message carries: text with facts about it, or an image. */
export type Attachment =
  | { kind: "text"; facts: Record<string, unknown>; text: string }
  | { kind: "image"; data: string; mimeType: string };

/**
 * Reads a file that the command line names.
 * @throws UsageError if it is not there, is a folder, or is neither text nor an image.
 */
export function readAttachedFile(name: string, cwd: string): Attachment {
  const path = expandPath(name, cwd);
  let stats: Stats | undefined;
  let bytes: Buffer;
  try {
    stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) throw new Error("the file doesn't exist");
    if (stats.isDirectory()) throw new Error("it's a folder. Name a file, or tell the agent to look in the folder");
    if (!stats.isFile() && !stats.isFIFO()) throw new Error("it isn't a file");
    bytes = readFileSync(path);
  } catch (error) {
    throw new UsageError(`Error: @${name} can't be read: ${errorMessage(error)}`, { cause: error });
  }
  return toAttachment(bytes, `@${name}`, (text) => {
    const lines = text.split("\n").length;
    return { kind: "file", path: name, startLine: 1, endLine: lines, totalLines: lines };
  });
}

/**
 * Makes an attachment from bytes.
 * @param name how an error names them.
 * @throws UsageError if they are neither text nor an image, or too many.
 */
export function toAttachment(
  bytes: Buffer,
  name: string,
  factsOf: (text: string) => Record<string, unknown>,
): Attachment {
  const found = kindOf(bytes);
  if (found.kind === "image") return { kind: "image", data: bytes.toString("base64"), mimeType: found.mimeType };
  if (found.kind !== "text") throw new UsageError(`Error: ${name} isn't UTF-8 text or an image.`);
  if (bytes.length > MAX_TEXT_BYTES) {
    throw new UsageError(
      `Error: ${name} is too long: ${formatSize(bytes.length)} of text, at most ${formatSize(MAX_TEXT_BYTES)}.`,
    );
  }
  const text = bytes.toString("utf8").replace(/^\uFEFF/, "");
  return { kind: "text", facts: factsOf(text), text };
}

/** Returns a message with attachments, in which texts are attached as hosts do it. */
export function withAttachments(message: string, attachments: readonly Attachment[]): HeadlessPrompt {
  const images = attachments.flatMap((attachment) =>
    attachment.kind === "image"
      ? [{ type: "image" as const, data: attachment.data, mimeType: attachment.mimeType }]
      : [],
  );
  const texts = attachments.filter((attachment) => attachment.kind === "text");
  return { message: attachItems(message, texts), images };
}
