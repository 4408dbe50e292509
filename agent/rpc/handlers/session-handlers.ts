import type { FillDraft } from "../../extensions/session-host.ts";
import { recordChoices } from "../../session/record-choices.ts";
import type { Services } from "../services/services.ts";
import { fillSession } from "../session-change/fill-session.ts";
import { replaceSession } from "../session-change/replace-session.ts";
import { DONE, type Handlers } from "./handler.ts";
import { readLocale } from "./locale.ts";

/** Options for a session that is independent of the current one. */
export interface NewSession {
  /** Path of the session that it is a continuation of. */
  parentSession?: string | undefined;
  /** Fills the session before it starts; if this fails, the current session stays. */
  fill?: FillDraft | undefined;
}

/**
 * Continues in a new session, after ending the run. @returns false when an extension refuses. @throws what `fill`
 * throws; AgentError aborted when the user aborts while it works.
 */
export function startSession(services: Services, { parentSession, fill }: NewSession): Promise<boolean> {
  const { session, sessions, gate } = services;
  const question = { type: "session_before_switch", reason: "new" };
  const change = {
    reason: "new" as const,
    questions: [question],
    tellAs: ["session_switch"],
    target: () => sessions.plan(),
  };
  return replaceSession(services, change, async ({ signal }, plan) => {
    const empty = sessions.empty({ plan, parentSession });
    recordChoices(empty, session.options.selection);
    if (fill !== undefined) await fillSession(empty, fill, { folder: sessions.folder, signal });
    await session.replace(empty);
    gate.reset();
  });
}

/** Commands that replace the session or set how it behaves. */
export function sessionHandlers(services: Services) {
  const { session, output } = services;
  return {
    async new_session({ parentSession }) {
      return { data: { cancelled: !(await startSession(services, { parentSession })) } };
    },
    async set_session_name({ name }) {
      await session.setName(name);
      return DONE;
    },
    keep_session() {
      const { conversation } = session;
      return { data: { sessionFile: conversation.file ?? services.sessions.keep(conversation) } };
    },
    set_steering_mode({ mode }) {
      session.queue.modes.steering = mode;
      return DONE;
    },
    set_follow_up_mode({ mode }) {
      session.queue.modes.followUp = mode;
      return DONE;
    },
    set_interrupt_mode({ mode }) {
      session.modes.interrupt = mode;
      return DONE;
    },
    set_auto_retry({ enabled }) {
      session.modes.isAutoRetryOn = enabled;
      return DONE;
    },
    set_locale({ locale }) {
      session.modes.locale = readLocale(locale);
      return DONE;
    },
    set_stream_options({ messageUpdate }) {
      output.setShape(messageUpdate);
      return { data: { messageUpdate } };
    },
  } satisfies Partial<Handlers>;
}
