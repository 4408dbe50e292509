import * as z from "zod";

/** One frame in the list; its content is asked for by `read`. `at` is Unix ms, `size` UTF-16 units. */
export const TraceRow = z.object({
  seq: z.int(),
  at: z.number(),
  direction: z.enum(["in", "out", "host"]),
  type: z.string(),
  id: z.string(),
  size: z.int(),
});
export type TraceRow = z.infer<typeof TraceRow>;

/** Host → page. The page says `ready` and gets `start`, then rows in order. */
export const ToTrace = z.discriminatedUnion("type", [
  /** Everything begins anew. A trace `isLive` grows; `note` tells what is missing. */
  z.object({ type: z.literal("start"), isLive: z.boolean(), isEnabled: z.boolean(), note: z.string() }),
  /** Rows behind those that the page has; those before `first` are gone. */
  z.object({ type: z.literal("rows"), first: z.int(), rows: z.array(TraceRow) }),
  /** The answer to `read`: the frame without secrets, laid out, perhaps cut. */
  z.object({ type: z.literal("frame"), seq: z.int(), text: z.string() }),
  /** The answer to `search`: which of the frames behind `after` hold the text. */
  z.object({ type: z.literal("found"), request: z.int(), seqs: z.array(z.int()) }),
]);
export type ToTrace = z.infer<typeof ToTrace>;

/** Page → host. */
export const FromTrace = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ready") }),
  z.object({ type: z.literal("read"), seq: z.int() }),
  z.object({ type: z.literal("search"), request: z.int(), text: z.string().max(1_000), after: z.int() }),
  /** While it is paused, no rows are sent; they come when it goes on. */
  z.object({ type: z.literal("pause"), isPaused: z.boolean() }),
  z.object({ type: z.literal("do"), action: z.enum(["save", "replay", "clear", "settings"]) }),
  z.object({ type: z.literal("pageError"), message: z.string() }),
]);
export type FromTrace = z.infer<typeof FromTrace>;
