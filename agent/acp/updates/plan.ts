import type { PlanEntry, SessionUpdate } from "@agentclientprotocol/sdk";
import * as z from "zod";
import { PlanPhase } from "../../protocol/plan.ts";

const Details = z.object({ phases: z.array(PlanPhase) });

/** Returns the plan that a call of `todo_write` has made. */
export function planOf(details: unknown): PlanPhase[] | undefined {
  return Details.safeParse(details).data?.phases;
}

/** The whole plan as an update. Tasks that were given up are left out. */
export function planUpdate(phases: readonly PlanPhase[]): SessionUpdate {
  const entries = phases.flatMap(({ name, tasks }) =>
    tasks.flatMap(({ content, status }): PlanEntry[] => {
      if (status === "abandoned") return [];
      return [{ content: phases.length > 1 ? `${name}: ${content}` : content, status, priority: "medium" }];
    }),
  );
  return { sessionUpdate: "plan", entries };
}
