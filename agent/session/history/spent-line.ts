import * as z from "zod";
import { SAMPLING_ENTRY_TYPE } from "../../protocol/session-entries.ts";

const MAX_TOOL_NAME_UNITS = 100;
/** Later times are not dates. */
const MAX_TIME_MS = 8.64e15;

/** A count from a file that anybody may have written. */
const count = z.number().nonnegative().max(Number.MAX_SAFE_INTEGER).catch(0);

const Usage = z.object({
  input: count,
  output: count,
  cacheRead: count,
  cacheWrite: count,
  cost: z.object({ total: count }).catch({ total: 0 }),
});

const Call = z.object({ type: z.literal("toolCall"), name: z.string().max(MAX_TOOL_NAME_UNITS) });

const text = z.string().catch("");

const Answer = z.object({
  timestamp: text,
  message: z.object({
    usage: Usage,
    provider: text,
    model: text,
    content: z.array(z.unknown()).catch([]),
    timestamp: z.number().min(0).max(MAX_TIME_MS).optional().catch(undefined),
  }),
});

const Summary = z.object({ timestamp: text, usage: Usage, model: text });

/** A request of an MCP server to a model. */
const Sampling = z.object({
  timestamp: text,
  customType: z.literal(SAMPLING_ENTRY_TYPE),
  data: z.object({ model: text, usage: Usage }),
});

/** The tokens and the cost of one request. */
export interface Spent {
  /** Unix ms. */
  at: number;
  /** The time of the entry in the file, Unix ms; NaN when it can't be read. */
  writtenAt: number;
  /** As `provider/model`; empty for a summary, which doesn't name it. */
  model: string;
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** All tokens. */
  tokens: number;
  costUsd: number;
  /** The tools that the answer calls, once for each call. */
  tools: string[];
}

/** A line of an answer, a summary, a name, or an MCP server's request, reduced to its usage. */
export const SpentLine = z.union([
  Answer.transform(({ timestamp, message }): Spent => {
    const { usage, provider, model, content } = message;
    const writtenAt = Date.parse(timestamp);
    const at = message.timestamp ?? (Number.isNaN(writtenAt) ? 0 : writtenAt);
    const tools = content.flatMap((block) => Call.safeParse(block).data?.name ?? []);
    return { at, writtenAt, model: model === "" ? "" : `${provider}/${model}`, tools, ...amounts(usage) };
  }),
  Summary.transform(({ timestamp, usage, model }): Spent => {
    const writtenAt = Date.parse(timestamp);
    return { at: Number.isNaN(writtenAt) ? 0 : writtenAt, writtenAt, model, tools: [], ...amounts(usage) };
  }),
  Sampling.transform(({ timestamp, data: { model, usage } }): Spent => {
    const writtenAt = Date.parse(timestamp);
    return { at: Number.isNaN(writtenAt) ? 0 : writtenAt, writtenAt, model, tools: [], ...amounts(usage) };
  }),
]);

function amounts({ input, output, cacheRead, cacheWrite, cost }: z.infer<typeof Usage>) {
  const tokens = input + output + cacheRead + cacheWrite;
  return { input, output, cacheRead, cacheWrite, tokens, costUsd: cost.total };
}
