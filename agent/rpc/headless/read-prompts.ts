import { fstatSync } from "node:fs";
import type { Readable } from "node:stream";
import { UsageError } from "../../config/args.ts";
import type { AgentOptions } from "../../config/options.ts";
import { errorMessage } from "../../protocol/errors.ts";
import {
  type Attachment,
  type HeadlessPrompt,
  readAttachedFile,
  toAttachment,
  withAttachments,
} from "./attachments.ts";

/** A program that starts the agent with a pipe that it never closes must not block a message of the command line. */
const SOCKET_WAIT_MS = 300;
const NOTE_AFTER_MS = 3000;
const MAX_INPUT_BYTES = 64 * 1024 * 1024;
const STDIN = "Standard input";

/** Standard input, and how to tell people what it is waited for. */
interface PromptSources {
  cwd: string;
  /** Called only if standard input is read. */
  input(): Readable & { isTTY?: boolean };
  warn(message: string): void;
}

type Given = Pick<AgentOptions, "prompts" | "files" | "action" | "unknownFlags" | "extensionFlags">;

/**
 * Puts the messages together: those of the command line, with files and standard input attached to the first one. Without a message on the
 * command line, standard input is the message.
 * @throws UsageError if there is nothing to send, or something cannot be read.
 */
export async function readPrompts(given: Given, sources: PromptSources): Promise<HeadlessPrompt[]> {
  const [first, ...others] = given.prompts.filter((message) => message.trim() !== "");
  const files = given.files.map((name) => readAttachedFile(name, sources.cwd));
  const piped = await readPiped(first !== undefined, sources);
  const later = others.map((message) => ({ message, images: [] }));
  if (first !== undefined) return [withAttachments(first, piped === undefined ? files : [piped, ...files]), ...later];
  if (piped?.kind === "text") return [withAttachments(piped.text.trimEnd(), files)];
  if (files.length > 0 || piped !== undefined) {
    throw new UsageError("Error: The attachments need a message. Say what to do with them.");
  }
  const command = given.action === "json" ? "--mode json" : "-p";
  const lines = [
    `Error: ${command} needs a message: tiller ${command} "What is in this folder?"`,
    ...takenValues(given),
  ];
  throw new UsageError(lines.join("\n"));
}

/** Names the values of unknown options, one of which may be the message. */
function takenValues({ unknownFlags, extensionFlags }: Given): string[] {
  return unknownFlags.flatMap((name) => {
    const value = extensionFlags.get(name);
    return value === undefined
      ? []
      : `The unknown option --${name} took "${value}" as its value. Put -- before the message.`;
  });
}

/** Returns what standard input holds; undefined if it is a terminal, empty, or closed. */
async function readPiped(hasMessage: boolean, { input, warn }: PromptSources): Promise<Attachment | undefined> {
  const isSocket = stdinIsSocket();
  if (isSocket === undefined) return undefined;
  const stream = input();
  if (stream.isTTY === true) return undefined;
  let bytes: Buffer;
  try {
    bytes = await readToEnd(stream, hasMessage && isSocket ? SOCKET_WAIT_MS : undefined, warn);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    warn(`Couldn't read standard input: ${errorMessage(error)}`);
    return undefined;
  }
  if (bytes.toString("latin1").trim() === "") return undefined;
  return toAttachment(bytes, STDIN, () => ({ kind: "terminal", name: "standard input" }));
}

/** Returns undefined if standard input is closed. */
function stdinIsSocket(): boolean | undefined {
  try {
    return fstatSync(0).isSocket();
  } catch {
    return undefined;
  }
}

/** @param firstByteMs how long to wait for a first byte; undefined means until the end. */
function readToEnd(input: Readable, firstByteMs: number | undefined, warn: (message: string) => void): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    const done = (settle: () => void) => {
      clearTimeout(timer);
      input.removeAllListeners("data").pause();
      settle();
    };
    const finish = () => done(() => resolve(Buffer.concat(chunks)));
    const timer =
      firstByteMs === undefined
        ? setTimeout(
            () => warn("Waiting for standard input to end. To send the message without it, use < /dev/null."),
            NOTE_AFTER_MS,
          )
        : setTimeout(() => {
            warn(
              `Standard input was silent for ${firstByteMs} ms, so tiller sent the message without it. Close it, or attach a file with @.`,
            );
            finish();
          }, firstByteMs);
    input.on("data", (chunk: Buffer) => {
      clearTimeout(timer);
      chunks.push(chunk);
      size += chunk.length;
      if (size > MAX_INPUT_BYTES) done(() => reject(new UsageError(`Error: ${STDIN} is too long.`)));
    });
    input.once("end", finish);
    input.once("error", (error) => done(() => reject(error)));
  });
}
