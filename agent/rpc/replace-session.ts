import { z } from "zod";
import type { ExtensionRunner } from "../extensions/runner.ts";
import type { Session } from "../session/session.ts";

const Cancel = z.object({ cancel: z.literal(true) });

/** A change of session, as extensions are asked about it. */
export interface Replacement {
  reason: "new" | "resume" | "fork";
  /** The events that may cancel it. */
  questions: readonly { type: string }[];
  /** The names by which it is told afterwards, beside `session_start`. */
  tellAs: readonly string[];
}

/**
 * Puts another session in place of this one, unless an extension is against it.
 * @param work does it; the run is over then.
 * @returns whether it was done.
 */
export async function replaceSession(
  { session, extensions }: { session: Session; extensions: ExtensionRunner },
  { reason, questions, tellAs }: Replacement,
  work: () => Promise<void>,
): Promise<boolean> {
  for (const question of questions) if (await isCancelled(extensions, question)) return false;
  await session.abort();
  const release = extensions.released;
  const tell = (event: { type: string }) => extensions.ask(event, () => false, { release });
  const previousSessionFile = session.conversation.file;
  const tellSelected = watchSelection(services);
  await tell(withFields("session_shutdown", { reason }));
  try {
    await work();
  } catch (error) {
    await tell(withFields("session_start", { reason: "resume" })); // extensions have shut down, and the session goes on
    throw error;
  }
  const fields = { reason, ...(previousSessionFile === undefined ? {} : { previousSessionFile }) };
  for (const type of [...tellAs, "session_start"]) await tell(withFields(type, fields));
  await tellSelected("restore");
  return true;
}

/** A handler that is left behind has not agreed. */
async function isCancelled(extensions: ExtensionRunner, question: { type: string }): Promise<boolean> {
  const release = extensions.released;
  let isRefused = false;
  const take = (result: unknown) => {
    isRefused = release.aborted || Cancel.safeParse(result).success;
    return isRefused;
  };
  await extensions.ask(question, take, { release });
  return isRefused;
}

function withFields(type: string, fields: object): { type: string } {
  return { type, ...fields };
}
