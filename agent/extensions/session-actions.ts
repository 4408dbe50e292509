import * as z from "zod";
import { InputContent } from "../protocol/content.ts";
import type { ExtensionContext } from "./api-context.ts";
import type { AfterChange, SendActions, SessionActions, SessionDraft } from "./api-session.ts";
import { ExtensionMessage, readRegistration } from "./registrations.ts";
import type { FillDraft, SessionHost } from "./session-host.ts";

/** Content of a message sent as the user. */
export const UserContent = z.lazy(() => z.union([z.string().min(1), z.array(InputContent).min(1)]));

/**
 * Makes what the commands of an extension can do with sessions.
 * @param context gives the context of the extension; it is of the present session, whichever that is.
 */
export function createSessionActions(
  host: SessionHost,
  cwd: string,
  context: () => ExtensionContext,
): SessionActions<ExtensionContext> {
  const change = async (work: Promise<{ cancelled: boolean }>, { withSession }: AfterChange<ExtensionContext> = {}) => {
    const { cancelled } = await work;
    if (!cancelled && withSession !== undefined) await withSession(replacedContext(host, context()));
    return { cancelled };
  };
  const fill =
    (setup: (session: SessionDraft) => unknown): FillDraft =>
    async (draft) => {
      const { openSessionDraft } = await import("./session-draft.ts"); // few sessions are filled
      const { session, close } = openSessionDraft(draft, cwd);
      try {
        await setup(session);
      } finally {
        close();
      }
    };
  return {
    newSession: ({ parentSession, setup, withSession } = {}) =>
      change(host.newSession({ parentSession, fill: setup && fill(setup) }), { withSession }),
    fork: (entryId, { position = "before", withSession } = {}) => change(host.fork(entryId, position), { withSession }),
    branch: (entryId) => host.fork(entryId, "before"),
    clone: () => host.clone(),
    switchSession: (path, options) => change(host.switchSession(path), options),
    navigateTree: (targetId, options = {}) => host.navigateTree(targetId, options),
  };
}

function replacedContext(host: SessionHost, context: ExtensionContext): ExtensionContext & SendActions {
  const fresh: ExtensionContext = Object.create(context); // its getters go on to say what is so now
  return Object.assign(fresh, {
    sendMessage: (...[message, options = {}]: Parameters<SendActions["sendMessage"]>) =>
      host.sendMessage(readRegistration(ExtensionMessage, message, "Message"), options),
    sendUserMessage: (...[content, options = {}]: Parameters<SendActions["sendUserMessage"]>) =>
      host.sendUserMessage(readRegistration(UserContent, content, "Message"), options),
  });
}
