import type { Session } from "../../session/session.ts";
import type { Lanes } from "../wire/lanes.ts";
import type { HeldPrompts } from "./held-prompts.ts";
import type { MessageTexts } from "./message-texts.ts";

/** The services that are needed to end all work in progress. */
export interface WorkInProgress {
  session: Session;
  held: HeldPrompts;
  lanes: Lanes;
  texts: MessageTexts;
}

/** Ends the compaction or the run and the prompts that wait for either. Resolves when they have ended and `compact` was answered. */
export async function abortWork({ session, held, lanes, texts }: WorkInProgress): Promise<void> {
  if (texts.pending !== undefined) await texts.pending; // a prompt that came before is ended too
  const { compaction } = lanes;
  const dropped = held.drop();
  await session.abort();
  await compaction;
  await dropped.release();
}
