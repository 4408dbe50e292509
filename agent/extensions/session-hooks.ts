import * as z from "zod";
import { Usage } from "../protocol/model.ts";
import type { ExtensionRunner } from "./runner.ts";
import type { BeforeCompactEvent, SessionEvents, TreePreparation } from "./session-events.ts";

/** A summary that the model need not be asked for. */
export type SuppliedCompaction = z.infer<typeof SuppliedCompaction>;
const SuppliedCompaction = z.lazy(() =>
  z.object({
    summary: z.string().min(1),
    firstKeptEntryId: z.string(),
    tokensBefore: z.int(),
    details: z.unknown().optional(),
    usage: Usage.optional(),
  }),
);

/** The answer of extensions to a compaction: it is refused, or its summary is supplied. */
export type CompactionVerdict = { kind: "refused" } | { kind: "supplied"; compaction: SuppliedCompaction };

/** The answer of extensions to a move within the tree. Missing fields keep the requested values. */
export type TreeVerdict = z.infer<typeof TreeVerdict>;
const TreeVerdict = z.lazy(() =>
  z.object({
    cancel: z.boolean().optional(),
    summary: z
      .object({ summary: z.string().min(1), details: z.unknown().optional(), usage: Usage.optional() })
      .optional(),
    customInstructions: z.string().optional(),
    replaceInstructions: z.boolean().optional(),
    label: z.string().optional(),
  }),
);

const Cancel = z.object({ cancel: z.literal(true) });
const Supplied = z.object({ compaction: SuppliedCompaction });

/** A compaction as extensions are asked about it. */
export type CompactionRequest = Omit<BeforeCompactEvent, "type" | "signal">;

/** Hooks that watch and change the session's history. They never throw, and an abort ends every wait. */
export interface SessionHooks {
  /** @param request made only when somebody wants it. @returns undefined when nobody has anything to say. */
  beforeCompaction(request: () => CompactionRequest, signal: AbortSignal): Promise<CompactionVerdict | undefined>;
  compacted(done: Omit<SessionEvents["session_compact"], "type">, signal: AbortSignal): Promise<void>;
  compactionFailed(failure: Omit<SessionEvents["session_compact_failed"], "type">, signal: AbortSignal): Promise<void>;
  beforeTree(preparation: TreePreparation, signal: AbortSignal): Promise<TreeVerdict>;
  treeChanged(change: Omit<SessionEvents["session_tree"], "type">, signal: AbortSignal): Promise<void>;
}

/** Creates the hooks by which extensions watch and change the session's history. */
export function createSessionHooks(runner: ExtensionRunner): SessionHooks {
  return {
    async beforeCompaction(request, signal) {
      if (!runner.handles("session_before_compact")) return undefined;
      let verdict: CompactionVerdict | undefined;
      const take = (result: unknown) => {
        const supplied = Supplied.safeParse(result).data;
        if (Cancel.safeParse(result).success) verdict = { kind: "refused" };
        else if (supplied !== undefined) verdict = { kind: "supplied", compaction: supplied.compaction };
        return verdict !== undefined;
      };
      const event: BeforeCompactEvent = { type: "session_before_compact", ...request(), signal };
      await runner.ask(event, take, { signal });
      return verdict;
    },
    compacted: (done, signal) => runner.notify({ type: "session_compact", ...done }, signal),
    compactionFailed: (failure, signal) => runner.notify({ type: "session_compact_failed", ...failure }, signal),
    async beforeTree(preparation, signal) {
      let verdict: TreeVerdict = {};
      const take = (result: unknown) => {
        verdict = { ...verdict, ...TreeVerdict.safeParse(result).data };
        return verdict.cancel === true;
      };
      const event: SessionEvents["session_before_tree"] = { type: "session_before_tree", preparation, signal };
      await runner.ask(event, take, { signal });
      return verdict;
    },
    treeChanged: (change, signal) => runner.notify({ type: "session_tree", ...change }, signal),
  };
}
