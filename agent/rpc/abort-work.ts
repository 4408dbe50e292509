import type { Session } from "../session/session.ts";
import type { HeldPrompts } from "./held-prompts.ts";
import type { Lanes } from "./lanes.ts";

/** What is needed to end everything that is in progress. */
export interface WorkInProgress {
  session: Session;
  held: HeldPrompts;
  lanes: Lanes;
}

/** Ends the compaction or the run and the prompts that wait for either. Resolves when they have ended and `compact` was answered. */
export async function abortWork({ session, held, lanes }: WorkInProgress): Promise<void> {
  const { compaction } = lanes;
  const dropped = held.drop();
  await session.abort();
  await compaction;
  await dropped.release();
}
