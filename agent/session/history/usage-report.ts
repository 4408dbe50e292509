import type { CommandResult } from "../../protocol/commands.ts";
import type { UsageRow, UsageSession, UsageSums, UsageTool } from "../../protocol/usage.ts";
import { firstLine } from "../../util/excerpt.ts";
import { addLine, type Facts, hasBegun, nameOf, noFacts } from "./facts.ts";
import { type FileLine, readLines } from "./file-lines.ts";
import { headKind, kindOf, parseLine, partsOf } from "./line-kind.ts";
import type { SessionFileInfo } from "./session-files.ts";
import type { Slices } from "./slices.ts";
import { type Spent, SpentLine } from "./spent-line.ts";

const KEEP_BYTES = 64 * 1024;
/** An answer is as long as the file that it writes; its usage comes at the end. */
const KEEP_ANSWER_BYTES = 16 * 1024 * 1024;
/** The types of entries, besides answers, that have the usage of a request. */
const COSTLY_TYPES: ReadonlySet<string> = new Set(["compaction", "branch_summary", "session_info", "custom"]);
const MAX_ROWS = 20_000;
const MAX_TOOLS = 200;
const MAX_SESSIONS = 20;
const MAX_NAME_UNITS = 200;
/** Stands for everything beyond the limits. */
const OTHERS = "…";

/** Adds up what the sessions on disk have used since a time. Keeps sums only, never messages. */
export class UsageReport {
  readonly #since: number;
  readonly #rows = new Map<string, UsageRow>();
  readonly #tools = new Map<string, UsageTool>();
  #sessions: UsageSession[] = [];
  #sessionCount = 0;
  #unreadable = 0;

  /** @param since Unix ms. */
  constructor(since: number) {
    this.#since = since;
  }

  /** Reads a session file. @throws the reason of the slices' signal once it is aborted. */
  async add(file: SessionFileInfo, slices: Slices): Promise<void> {
    if (file.modifiedMs < this.#since) return;
    if (file.problem !== undefined) return this.#fail();
    const session = new SessionReader(file.path, this.#since);
    try {
      await readLines({ path: file.path, keepBytes, slices }, (line) => {
        for (const part of partsOf(line)) {
          if (session.read(part)) return true;
          for (const spent of session.take()) this.#count(spent, session.project);
        }
        return false;
      });
    } catch (error) {
      if (slices.isOver) throw error;
      return this.#fail();
    }
    if (session.isForeign) return this.#fail();
    this.#keep(session, file);
  }

  get result(): CommandResult<"get_usage"> {
    return {
      rows: [...this.#rows.values()],
      tools: [...this.#tools.values()],
      sessions: this.#sessions,
      sessionCount: this.#sessionCount,
      unreadableCount: this.#unreadable,
    };
  }

  #count(spent: Spent, project: string): void {
    const day = localDay(spent.at);
    const full = JSON.stringify([day, project, spent.model]);
    const isFull = this.#rows.size >= MAX_ROWS && !this.#rows.has(full);
    const row = { day, project: isFull ? OTHERS : project, model: isFull ? OTHERS : spent.model };
    addTo(entryOf(this.#rows, isFull ? JSON.stringify(Object.values(row)) : full, { ...row, ...noSums() }), spent);
    for (const name of spent.tools) this.#countTool(name, spent);
  }

  /** Shares the cost of an answer among the calls that it makes. */
  #countTool(name: string, { tools, tokens, costUsd }: Spent): void {
    const tool = this.#tools.has(name) || this.#tools.size < MAX_TOOLS ? name : OTHERS;
    const sums = entryOf(this.#tools, tool, { tool, calls: 0, tokens: 0, costUsd: 0 });
    sums.calls += 1;
    sums.tokens += tokens / tools.length;
    sums.costUsd += costUsd / tools.length;
  }

  #keep(session: SessionReader, { path, modifiedMs }: SessionFileInfo): void {
    if (session.sums.requests === 0) return;
    this.#sessionCount += 1;
    this.#sessions.push({ path, modifiedAt: Math.trunc(modifiedMs), ...session.summary });
    this.#sessions = this.#sessions
      .sort((a, b) => b.costUsd - a.costUsd || totalOf(b) - totalOf(a))
      .slice(0, MAX_SESSIONS);
  }

  #fail(): void {
    this.#unreadable += 1;
  }
}

/** Reads the lines of one session. */
class SessionReader {
  readonly sums = noSums();
  readonly #facts: Facts;
  readonly #since: number;
  #lastModel = "";
  #taken: Spent[] = [];

  constructor(path: string, since: number) {
    this.#facts = noFacts(path);
    this.#since = since;
  }

  get isForeign(): boolean {
    return this.#facts.header === undefined;
  }

  get project(): string {
    return firstLine(this.#facts.header?.cwd ?? "", MAX_NAME_UNITS * 4);
  }

  get summary() {
    const { header, firstMessage } = this.#facts;
    const name = nameOf(this.#facts);
    return {
      ...this.sums,
      project: this.project,
      ...(header === undefined ? {} : { id: header.id }),
      ...(name === undefined ? {} : { name: firstLine(name, MAX_NAME_UNITS) }),
      ...(firstMessage === undefined ? {} : { firstMessage }),
    };
  }

  /** Reads a line. @returns true if the lines after it can be ignored. */
  read(line: FileLine): boolean {
    if (!hasBegun(this.#facts, line)) return this.#facts.isForeign;
    const isOver = addLine(this.#facts, line);
    const { type, role } = kindOf(line);
    const mayCost = role === "assistant" || (type !== undefined && COSTLY_TYPES.has(type));
    const spent = mayCost ? SpentLine.safeParse(parseLine(line)).data : undefined;
    if (spent === undefined) return isOver;
    const model = firstLine(spent.model, MAX_NAME_UNITS) || this.#lastModel;
    if (role === "assistant") this.#lastModel = model;
    if ((spent.tokens === 0 && spent.costUsd === 0) || this.#isCopy(spent.writtenAt) || spent.at < this.#since)
      return isOver;
    addTo(this.sums, spent);
    this.#taken.push({ ...spent, model });
    return isOver;
  }

  /** Returns what was read since the last call. */
  take(): Spent[] {
    const taken = this.#taken;
    if (taken.length > 0) this.#taken = [];
    return taken;
  }

  /** True for an entry that a fork has taken over: it counts in the session that it comes from. */
  #isCopy(writtenAt: number): boolean {
    const { parentSession, timestamp } = this.#facts.header ?? {};
    return parentSession !== undefined && timestamp !== undefined && writtenAt < Date.parse(timestamp);
  }
}

function keepBytes(head: Buffer): number {
  const { type, role } = headKind(head);
  return type === undefined || role === "assistant" ? KEEP_ANSWER_BYTES : KEEP_BYTES;
}

function noSums(): UsageSums {
  return { requests: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0, costUsd: 0 };
}

function addTo(sums: UsageSums, { input, output, cacheRead, cacheWrite, costUsd }: Spent): void {
  sums.requests += 1;
  sums.input += input;
  sums.output += output;
  sums.cacheRead += cacheRead;
  sums.cacheWrite += cacheWrite;
  sums.costUsd += costUsd;
}

function totalOf({ input, output, cacheRead, cacheWrite }: UsageSums): number {
  return input + output + cacheRead + cacheWrite;
}

function entryOf<T>(map: Map<string, T>, key: string, fresh: T): T {
  const known = map.get(key) ?? fresh;
  map.set(key, known);
  return known;
}

/** Returns a day of the local time, such as `2026-05-01`. */
function localDay(at: number): string {
  const date = new Date(at);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
