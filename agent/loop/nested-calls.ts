import type { ToolCall } from "../protocol/content.ts";
import type { NestedCall, NestedCalls } from "../protocol/messages.ts";
import type { Usage } from "../protocol/model.ts";
import { addUsage } from "../providers/cost.ts";
import { isRecord } from "../tools/json-schema.ts";
import type { CallOptions, CallOutcome, ToolOutput } from "../tools/tool.ts";
import { plainCopy } from "../util/plain-copy.ts";

/** The maximum number of calls in a record. Further calls run but aren't recorded. */
const MAX_CALLS = 256;
/** The maximum size of recorded arguments of one call, and of all calls, in bytes. */
const MAX_CALL_BYTES = 8 * 1024;
const MAX_BYTES = 32 * 1024;
const MAX_ERROR_LENGTH = 500;

/** A finished call. */
interface Ended {
  output: ToolOutput;
  isError: boolean;
  durationMs?: number | undefined;
}

/** The calls that a running tool makes to other tools. They aren't part of the conversation; the tool's result has a record of them. */
export class NestedToolCalls {
  readonly #parentId: string;
  readonly #run: (call: ToolCall, options: CallOptions) => Promise<Ended>;
  readonly #records: NestedCall[] = [];
  readonly #usages: Usage[] = [];
  #count = 0;
  #bytes = 0;
  #isWhole = true;
  #isOver = false;

  /** @param run runs a call as one of the model. Never rejects. */
  constructor(parentId: string, run: (call: ToolCall, options: CallOptions) => Promise<Ended>) {
    this.#parentId = parentId;
    this.#run = run;
  }

  /** Runs a tool and returns its outcome, also if it fails. @throws Error when the calling tool has ended, or `args` isn't an object. */
  async call(name: string, args: unknown, options: CallOptions = {}): Promise<CallOutcome> {
    if (this.#isOver) throw new Error(`The tool call ${this.#parentId} has ended: it can't call other tools any more.`);
    const copy: unknown = plainCopy(args ?? {});
    if (!isRecord(copy)) throw new Error("The arguments of a tool must be an object.");
    this.#count++;
    const call: ToolCall = { type: "toolCall", id: `${this.#parentId}/${this.#count}`, name, arguments: copy };
    const record = this.#record(call);
    const ended = await this.#run(call, options);
    if (record !== undefined && !this.#isOver) finish(record, ended);
    if (ended.output.usage !== undefined && !this.#isOver) this.#usages.push(ended.output.usage);
    return { call, ...ended };
  }

  /** Called when the tool has ended. @returns the record of its calls, and its own usage plus theirs. */
  end(own: Usage | undefined): { nestedCalls?: NestedCalls; usage?: Usage } {
    this.#isOver = true;
    if (this.#count === 0) return own === undefined ? {} : { usage: own };
    const isFinished = this.#records.every(({ status }) => status !== "unfinished");
    const usages = own === undefined ? this.#usages : [own, ...this.#usages];
    const nestedCalls = { calls: this.#records, complete: this.#isWhole && isFinished };
    return usages.length === 0 ? { nestedCalls } : { nestedCalls, usage: usages.reduce(addUsage) };
  }

  #record({ id, name, arguments: args }: ToolCall): NestedCall | undefined {
    if (this.#records.length >= MAX_CALLS) {
      this.#isWhole = false;
      return undefined;
    }
    const bytes = Buffer.byteLength(JSON.stringify(args));
    const isKept = bytes <= MAX_CALL_BYTES && this.#bytes + bytes <= MAX_BYTES;
    if (isKept) this.#bytes += bytes;
    else this.#isWhole = false;
    const record: NestedCall = {
      id,
      name,
      ...(isKept ? { arguments: args } : { argumentsBytes: bytes }),
      status: "unfinished",
    };
    this.#records.push(record);
    return record;
  }
}

function finish(record: NestedCall, { output, isError, durationMs }: Ended): void {
  record.status = isError ? "error" : "ok";
  if (durationMs !== undefined) record.durationMs = durationMs;
  if (!isError) return;
  const text = output.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  record.error = text.slice(0, MAX_ERROR_LENGTH);
}
