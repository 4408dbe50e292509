import { recordChoices } from "../../session/replace.ts";
import { replaceSession } from "../replace-session.ts";
import { DONE, type Handlers } from "./handler.ts";
import { readLocale } from "./locale.ts";
import type { Services } from "./services.ts";

/** Commands that replace the session or set how it behaves. */
export function sessionHandlers({ session, sessions, gate, output, extensions }: Services) {
  return {
    async new_session({ parentSession }) {
      const question = { type: "session_before_switch", reason: "new" };
      const change = { reason: "new", questions: [question], tellAs: ["session_switch"] } as const;
      const isDone = await replaceSession({ session, extensions }, change, async () => {
        const empty = sessions.empty({ parentSession });
        recordChoices(empty, session.options.selection);
        await session.replace(empty);
        gate.reset();
      });
      return { data: { cancelled: !isDone } };
    },
    async set_session_name({ name }) {
      await session.setName(name);
      return DONE;
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
