import { AgentError } from "../../protocol/errors.ts";
import type { Services } from "../services/services.ts";
import { DONE, type Handlers } from "./handler.ts";

/** The number of decisions that a host gets if it names none. */
const DECISIONS = 500;

/** Commands about who may change things, and about what the user allowed for more than one call. */
export function approvalHandlers({ session, gate, consents }: Services) {
  return {
    set_permission_mode({ mode, enforce }) {
      if (enforce === true) consents.startAsking(); // the host speaks our dialect
      session.modes.permission = { mode, isEnforced: enforce ?? session.modes.permission.isEnforced };
      return DONE;
    },
    async get_approval_rules() {
      const { mode, isEnforced } = session.modes.permission;
      return { data: { mode, isEnforced, rules: await gate.rules() } };
    },
    async get_approval_log({ limit }) {
      return { data: { decisions: await gate.decisions(limit ?? DECISIONS) } };
    },
    async add_approval_rules({ rules }) {
      if (rules.some(({ scope }) => scope !== "session")) {
        throw new AgentError("invalid_request", "Only rules of the session can be handed over.");
      }
      await gate.adopt(rules);
      return DONE;
    },
    async remove_approval_rule({ ruleId }) {
      if (!(await gate.remove(ruleId))) throw new AgentError("not_found", `No approval rule "${ruleId}".`);
      return DONE;
    },
  } satisfies Partial<Handlers>;
}
