import * as z from "zod";
import type { ExtensionRunner } from "../../extensions/runner.ts";
import type { Services } from "../services/services.ts";
import { discoverResources } from "./extension-resources.ts";
import { watchSelection } from "./tell-selection.ts";

/** The result of a handler; an abandoned handler has not agreed. */
const Answer = z.lazy(() => z.object({ cancel: z.boolean(), skipConversationRestore: z.boolean() }).partial());

/** A change of session, as extensions are asked about it. */
export interface Replacement<Target extends { file: string | undefined }> {
  reason: "new" | "resume" | "fork";
  /** The events that may cancel it. */
  questions: readonly { type: string }[];
  /** The events that follow it, in addition to `session_start`. */
  tellAs: readonly string[];
  /** Returns the session to continue with; called if no extension cancels the change. */
  target(): Target;
}

/** The answer of extensions to a change of session. */
export interface Consent {
  /** True if the model keeps everything that it has seen so far. */
  skipsRestore: boolean;
  /** Aborts when the user gives up on the change. */
  signal: AbortSignal;
}

/**
 * Puts another session in place of this one, unless an extension is against it.
 * @param work does it; the run is over then, and so is everything that extensions asked in the old session.
 * @returns whether it was done.
 */
export async function replaceSession<Target extends { file: string | undefined }>(
  services: Services,
  { reason, questions, tellAs, target }: Replacement<Target>,
  work: (consent: Consent, target: Target) => Promise<void>,
): Promise<boolean> {
  const { session, extensions, scope, commands } = services;
  const letGo = noteUndecided(services);
  let skipsRestore = false;
  for (const question of questions) {
    const answer = await ask(extensions, question);
    if (answer.isRefused) return false;
    skipsRestore ||= answer.skipsRestore;
  }
  const released = letGo();
  await session.abort();
  await released();
  const release = extensions.released;
  const tell = (event: { type: string }) => extensions.ask(event, () => false, { release });
  const previousSessionFile = session.conversation.file;
  const tellSelected = watchSelection(services);
  const goal = target();
  scope.end();
  const told = goal.file === undefined ? {} : { targetSessionFile: goal.file };
  await tell(withFields("session_shutdown", { reason, ...told }));
  scope.end(); // what was asked meanwhile was asked in the old session too
  try {
    await work({ skipsRestore, signal: release }, goal);
  } catch (error) {
    await tell(withFields("session_start", { reason: "resume" })); // extensions have shut down, and the session goes on
    throw error;
  }
  // A fork goes on with what was begun.
  if (reason !== "fork") await Promise.all([services.processes.background.stopAll(), services.sandbox.end()]);
  const { conversation } = session;
  await services.loadForSession();
  if (!extensions.isEmpty) await commands.refresh();
  const fields = { reason, ...(previousSessionFile === undefined ? {} : { previousSessionFile }) };
  for (const type of [...tellAs, "session_start"]) {
    await tell(withFields(type, fields));
    if (session.conversation !== conversation) return true; // a handler went on to another one, which was told of
  }
  await discoverResources(services, "startup", release);
  await tellSelected("restore");
  return true;
}

/**
 * Takes note of what was said to the present session and is undecided; what is said from here on is for the new one.
 * @returns lets it go, and gives what tells hosts so when the run is over.
 */
function noteUndecided({ inputs, held }: Pick<Services, "inputs" | "held">): () => () => Promise<void> {
  const [giveUp, drop] = [inputs.undecided(), held.undecided()];
  return () => {
    const dropped = drop();
    giveUp();
    return () => dropped.release();
  };
}

async function ask(extensions: ExtensionRunner, question: { type: string }) {
  const release = extensions.released;
  const answer = { isRefused: false, skipsRestore: false };
  const take = (result: unknown) => {
    const { data } = Answer.safeParse(result);
    answer.isRefused = release.aborted || data?.cancel === true;
    answer.skipsRestore ||= data?.skipConversationRestore === true;
    return answer.isRefused;
  };
  await extensions.ask(question, take, { release });
  return answer;
}

function withFields(type: string, fields: object): { type: string } {
  return { type, ...fields };
}
