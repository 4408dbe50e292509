import * as z from "zod";
import { InputContent } from "../protocol/content.ts";
import { describeIssues, errorMessage } from "../protocol/errors.ts";
import { Usage } from "../protocol/model.ts";
import { plainCopy } from "../util/plain-copy.ts";
import type {
  AgentBeforeSettleEvent,
  BoundaryContext,
  BoundaryEntry,
  BoundaryState,
  TurnEndEvent,
} from "./api-boundary.ts";
import type { ExtensionRunner } from "./runner.ts";

type Proposed = "entries" | "continue" | "context";

/** The end of a turn or a run, without the proposals of extensions. */
export type Boundary = Omit<TurnEndEvent, Proposed> | Omit<AgentBeforeSettleEvent, Proposed>;

/** The proposals of extensions at the end of a turn or a run. */
export type BoundaryDecision = Pick<BoundaryState, "entries" | "continue">;

/** Returns the model's view of the conversation with these entries. @throws Error that names an entry that can't be added. */
export type Preview = (entries: readonly BoundaryEntry[]) => BoundaryContext;

/** Asks extensions for proposals at the end of a turn or a run. */
export interface BoundaryHooks {
  handles(type: Boundary["type"]): boolean;
  /** Never rejects. Aborting ends the wait. */
  ask(boundary: Boundary, preview: Preview, signal: AbortSignal): Promise<BoundaryDecision>;
  /** Reports that an extension's proposal can't be applied. */
  report(type: Boundary["type"], error: string): void;
}

const customType = z.string().min(1);
const content = z.lazy(() => z.union([z.string(), z.array(InputContent)]));
const Entry: z.ZodType<BoundaryEntry> = z.lazy(() =>
  z.discriminatedUnion("type", [
    z.object({ type: z.literal("custom"), customType, data: z.unknown().optional() }),
    z.object({
      type: z.literal("custom_message"),
      customType,
      content,
      display: z.boolean().default(true),
      details: z.unknown().optional(),
    }),
    z.object({
      type: z.literal("context_edit"),
      targetId: z.string(),
      replacement: z.object({ content }).nullable(),
    }),
    z.object({
      type: z.literal("compaction"),
      summary: z.string().min(1),
      firstKeptEntryId: z.string().nullable(),
      details: z.unknown().optional(),
      usage: Usage.optional(),
    }),
  ]),
);

const Result = z.lazy(() => z.object({ entries: z.array(Entry).optional(), continue: z.boolean().optional() }));

/** Creates the hooks that let extensions add to the conversation at the end of a turn or a run. */
export function createBoundaryHooks(runner: ExtensionRunner): BoundaryHooks {
  return {
    handles: (type) => runner.handles(type),
    report: (event, error) => runner.report({ extensionPath: "<boundary>", event, error }),
    async ask(boundary, preview, signal) {
      const decided: BoundaryDecision = { entries: [], continue: false };
      const event = { ...boundary, ...decided, context: preview([]) };
      const take = (result: unknown, extensionPath: string) => {
        try {
          const wish = readWish(result);
          const context = wish.entries === undefined ? event.context : preview(wish.entries);
          Object.assign(decided, wish);
          Object.assign(event, { ...decided, entries: plainCopy(decided.entries), context });
        } catch (error) {
          runner.report({ extensionPath, event: boundary.type, error: errorMessage(error) });
        }
        return false;
      };
      await runner.ask(event, take, { signal });
      return decided;
    },
  };
}

/** Parses the result of a handler. Other values count as no result. @throws Error that names every problem. */
function readWish(result: unknown): Partial<BoundaryDecision> {
  const isWish = typeof result === "object" && result !== null && ("entries" in result || "continue" in result);
  if (!isWish) return {};
  const read = Result.safeParse(result);
  if (!read.success) throw new Error(["Its result can't be used:", ...describeIssues(read.error)].join("\n"));
  const { entries } = read.data;
  return {
    ...(entries === undefined ? {} : { entries: plainCopy(entries) }),
    ...(read.data.continue === undefined ? {} : { continue: read.data.continue }),
  };
}
