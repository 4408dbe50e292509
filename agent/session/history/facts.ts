import * as z from "zod";
import type { SessionHeader } from "../../protocol/session-entries.ts";
import { firstLine } from "../../util/excerpt.ts";
import { judgeStart, standInHeader } from "../damaged-lines.ts";
import { type FileLine, isWhole, readAt } from "./file-lines.ts";
import { isBlank, kindOf, MessageLine, parseLine, textsOf } from "./line-kind.ts";

const FIRST_MESSAGE_UNITS = 200;
const MAX_ANSWER_BYTES = 1024 * 1024;

/** The facts from the lines of a session file so far. */
export interface Facts {
  path: string;
  header: SessionHeader | undefined;
  /** True if the file doesn't begin as a session. */
  isForeign: boolean;
  /** Lines before the header that could not be read. */
  damagedStarts: number;
  /** Undefined when no entry sets a name; empty when the last one removes it. */
  name: string | undefined;
  firstMessage: string | undefined;
  messageCount: number;
  model: string | undefined;
  lastAnswer: { offset: number; length: number } | undefined;
}

const InfoLine = z.object({ name: z.string().optional().catch(undefined) });
const ModelLine = z.object({
  provider: z.string().optional().catch(undefined),
  modelId: z.string().optional().catch(undefined),
  model: z.string().optional().catch(undefined),
});

/** Returns the facts before the first line. */
export function noFacts(path: string): Facts {
  return {
    path,
    header: undefined,
    isForeign: false,
    damagedStarts: 0,
    name: undefined,
    firstMessage: undefined,
    messageCount: 0,
    model: undefined,
    lastAnswer: undefined,
  };
}

/** Adds the facts of a line. @returns whether to ignore the lines after it. */
export function addLine(facts: Facts, line: FileLine): boolean {
  if (!hasBegun(facts, line)) return facts.isForeign;
  if (isBlank(line) || (!line.isEnded && isTorn(line))) return false;
  const { type, role } = kindOf(line);
  if (type === "message") addMessage(facts, line, role);
  else if (type === "session_info") facts.name = InfoLine.safeParse(parseLine(line)).data?.name ?? "";
  else if (type === "model_change") facts.model = modelOf(parseLine(line)) ?? facts.model;
  return false;
}

/** True when a line comes after the header, or is the first entry of a file without its header. */
export function hasBegun(facts: Facts, line: FileLine): boolean {
  if (facts.header !== undefined) return true;
  if (isBlank(line)) return false;
  const start = judgeStart(line.bytes.toString(), { isWhole: isWhole(line), damagedBefore: facts.damagedStarts });
  if (start.kind === "header") facts.header = start.header;
  else if (start.kind === "entry") facts.header = standInHeader(facts.path);
  else if (start.kind === "damaged") facts.damagedStarts++;
  else facts.isForeign = true;
  return start.kind === "entry";
}

/** Returns the name of a session. */
export function nameOf({ name, header }: Pick<Facts, "name" | "header">): string | undefined {
  return name === undefined ? header?.title : name || undefined;
}

/** Returns the model that was selected last, or, if none was, the model that responded last. */
export function modelAtEnd(facts: Facts, path: string): string | undefined {
  if (facts.model !== undefined || facts.lastAnswer === undefined) return facts.model;
  const { offset, length } = facts.lastAnswer;
  if (length > MAX_ANSWER_BYTES) return undefined;
  const { data } = MessageLine.safeParse(
    parseLine({ offset, length, bytes: readAt(path, offset, length), isEnded: true }),
  );
  if (data?.message.provider === undefined || data.message.model === undefined) return undefined;
  return `${data.message.provider}/${data.message.model}`;
}

function addMessage(facts: Facts, line: FileLine, role: string | undefined): void {
  if (role !== "user" && role !== "assistant") return;
  facts.messageCount++;
  if (role === "assistant") facts.lastAnswer = { offset: line.offset, length: line.length };
  else facts.firstMessage ??= saidIn(line);
}

function saidIn(line: FileLine): string | undefined {
  const { data } = MessageLine.safeParse(parseLine(line));
  if (data === undefined || data.message.synthetic === true) return undefined;
  return firstLine(textsOf(data.message.content).join(" "), FIRST_MESSAGE_UNITS) || undefined;
}

function modelOf(value: unknown): string | undefined {
  const { data } = ModelLine.safeParse(value);
  if (data?.provider !== undefined && data.modelId !== undefined) return `${data.provider}/${data.modelId}`;
  return data?.model;
}

/** True if the last line of a file is incomplete. A line that is too long to check counts as incomplete. */
function isTorn(line: FileLine): boolean {
  return !isWhole(line) || parseLine(line) === undefined;
}
