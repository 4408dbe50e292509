import { AgentError } from "../../protocol/errors.ts";
import { readPlanPhases } from "../../session/plan-reader.ts";
import { revisePlan, startPlan } from "../../session/proposed-plan.ts";
import type { Services } from "../services/services.ts";
import type { Handlers } from "./handler.ts";

/** Commands about the plan: the tasks that the session has, and the plan that the model proposes in plan mode. */
export function planHandlers({ session }: Services) {
  const { plan } = session.options;
  return {
    set_todos({ phases }) {
      const todoPhases = readPlanPhases(phases);
      plan.replace(todoPhases);
      return { data: { todoPhases } };
    },
    revise_plan({ text }) {
      requireIdle(session.isStreaming);
      return { data: { proposedPlan: revisePlan(session.conversation, text) ?? null } };
    },
    start_plan() {
      requireIdle(session.isStreaming);
      const proposedPlan = startPlan(session.conversation, plan);
      return { data: { proposedPlan, todoPhases: [...plan.phases] } };
    },
  } satisfies Partial<Handlers>;
}

function requireIdle(isStreaming: boolean): void {
  if (isStreaming) throw new AgentError("busy", "A run is active. Decide on the plan after it finishes.");
}
