import { errorMessage } from "../../protocol/errors.ts";
import type { SessionSummary } from "../../protocol/history.ts";
import { firstLine } from "../../util/excerpt.ts";
import { addLine, type Facts, modelAtEnd, nameOf, noFacts } from "./facts.ts";
import { type FileLine, readAt, readLines } from "./file-lines.ts";
import { partsOf } from "./line-kind.ts";
import type { SessionFileInfo } from "./session-files.ts";
import type { Slices } from "./slices.ts";

const KEEP_BYTES = 64 * 1024;
const MARK_BYTES = 64;
const NAME_UNITS = 200;
const MAX_CACHED = 5000;

/** The facts about a session in its file. */
export type FileSummary = Omit<SessionSummary, "path" | "modifiedAt" | "sizeBytes" | "isOpen" | "isLocked" | "match">;

interface Cached {
  stamp: string;
  inode: number;
  summary: FileSummary;
  /** The facts from the lines up to `end`. */
  facts: Facts;
  /** Bytes up to the last LF. */
  end: number;
  /** The bytes right before `end`: as long as they stay, the file has only grown. */
  mark: Buffer;
}

/**
 * Summarizes session files, and keeps the summaries in memory: it doesn't read an unchanged file again, and reads only
 * the new part of a file that has grown.
 */
export class Summaries {
  readonly #cache = new Map<string, Cached>();

  /** @throws the reason of the slices' signal once it is aborted. Reports a file that can't be read as `problem`. */
  async of(file: SessionFileInfo, slices: Slices): Promise<FileSummary> {
    if (file.problem !== undefined) return { problem: file.problem };
    const cached = this.#cache.get(file.path);
    if (cached?.stamp === file.stamp) return cached.summary;
    try {
      const read = await readFacts(file, cached, slices);
      this.#keep(file.path, read);
      return read.summary;
    } catch (error) {
      if (slices.isOver) throw error;
      return { problem: `Couldn't read the file: ${errorMessage(error)}` };
    }
  }

  #keep(path: string, cached: Cached): void {
    this.#cache.delete(path);
    this.#cache.set(path, cached);
    const [oldest] = this.#cache.keys();
    if (this.#cache.size > MAX_CACHED && oldest !== undefined) this.#cache.delete(oldest);
  }
}

async function readFacts(file: SessionFileInfo, before: Cached | undefined, slices: Slices): Promise<Cached> {
  const isGrown = before !== undefined && hasGrown(file, before);
  const facts = isGrown ? { ...before.facts } : noFacts(file.path);
  let withTail: Facts | undefined; // the last line may still be being written: it is read again when the file has grown
  let end = isGrown ? before.end : 0;
  await readLines({ path: file.path, from: end, keepBytes: () => KEEP_BYTES, slices }, (line) => {
    if (!line.isEnded) {
      withTail = { ...facts };
      return addAll(withTail, line);
    }
    end = line.offset + line.length + 1;
    return addAll(facts, line);
  });
  const summary = summaryOf(withTail ?? facts, file.path);
  const markFrom = Math.max(0, end - MARK_BYTES);
  const mark = readAt(file.path, markFrom, end - markFrom);
  return { stamp: file.stamp, inode: file.inode, summary, facts, end, mark };
}

function addAll(facts: Facts, line: FileLine): boolean {
  return partsOf(line).some((part) => addLine(facts, part));
}

function hasGrown({ path, inode, sizeBytes }: SessionFileInfo, before: Cached): boolean {
  const { facts, end, mark } = before;
  if (facts.header === undefined || inode !== before.inode || sizeBytes < end) return false;
  return readAt(path, end - mark.length, mark.length).equals(mark);
}

function summaryOf(facts: Facts, path: string): FileSummary {
  const { header, firstMessage, messageCount } = facts;
  if (header === undefined) {
    return {
      problem:
        facts.isForeign || facts.damagedStarts > 0
          ? "Not a session: it does not begin with a session header."
          : "The file is empty.",
    };
  }
  const name = nameOf(facts);
  const createdAt = Date.parse(header.timestamp);
  const model = modelAtEnd(facts, path);
  return {
    id: header.id,
    cwd: header.cwd,
    messageCount,
    ...(name === undefined ? {} : { name: firstLine(name, NAME_UNITS) }),
    ...(firstMessage === undefined ? {} : { firstMessage }),
    ...(Number.isNaN(createdAt) ? {} : { createdAt }),
    ...(model === undefined ? {} : { model: firstLine(model, NAME_UNITS) }),
    ...(header.parentSession === undefined ? {} : { parentSession: header.parentSession }),
  };
}
