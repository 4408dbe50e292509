import * as z from "zod";
import { AgentError } from "../protocol/errors.ts";
import type { AssistantMessage } from "../protocol/messages.ts";
import type { PlanPhase } from "../protocol/plan.ts";
import type { KnownSessionEntry } from "../protocol/session-entries.ts";
import type { Conversation } from "./conversation.ts";
import type { Plan } from "./plan.ts";
import { PROPOSED_PLAN, readPlanPhases } from "./plan-reader.ts";
import { isPlanModeNote, MODE_NOTE } from "./session-facts.ts";

/** The user's decision about a proposed plan: another text, or none if it was started or discarded. */
const Decision = z.object({ text: z.string().nullable() });

/**
 * Returns the plan that waits for the user's decision, as Markdown: the last response in plan mode if it has a checklist, or what the user
 * made of it. Undefined after a later message of the user.
 */
export function proposedPlan(path: readonly KnownSessionEntry[]): string | undefined {
  for (const [index, entry] of [...path.entries()].reverse()) {
    if (entry.type === "custom" && entry.customType === PROPOSED_PLAN) {
      return Decision.safeParse(entry.data).data?.text ?? undefined;
    }
    if (entry.type !== "message") continue;
    const { message } = entry;
    if (message.role !== "assistant") return undefined;
    const text = message.stopReason === "stop" ? textOf(message) : "";
    return readChecklist(text).length > 0 && isInPlanMode(path.slice(0, index)) ? text : undefined;
  }
  return undefined;
}

/**
 * Replaces the proposed plan with a text of the user; an empty text discards it.
 * @returns the plan as it is now. @throws AgentError not_found when no plan is proposed.
 */
export function revisePlan(conversation: Conversation, text: string): string | undefined {
  requireProposedPlan(conversation);
  conversation.appendCustom(PROPOSED_PLAN, { text: text.trim() === "" ? null : text });
  return proposedPlan(conversation.path());
}

/**
 * Makes the steps of the proposed plan the tasks of the session.
 * @returns the text of the plan. @throws AgentError not_found when no plan is proposed.
 */
export function startPlan(conversation: Conversation, plan: Pick<Plan, "replace">): string {
  const text = requireProposedPlan(conversation);
  const phases = readPlanPhases(readChecklist(text));
  conversation.appendCustom(PROPOSED_PLAN, { text: null, phases });
  plan.replace(phases);
  return text;
}

function requireProposedPlan(conversation: Conversation): string {
  const text = proposedPlan(conversation.path());
  if (text === undefined) throw new AgentError("not_found", "No plan is proposed.");
  return text;
}

/** A phase of a plan as its Markdown has it. */
type WrittenPhase = Pick<PlanPhase, "name"> & { tasks: { content: string; status: "pending" | "completed" }[] };

const FENCE = /^\s*(?:```|~~~)/;
const HEADING = /^#{1,6}\s+(.+?)\s*#*\s*$/;
const STEP = /^\s*(?:[-*+]|\d+[.)])\s+\[([ xX])\]\s+(\S.*?)\s*$/;

/** Reads the checklist of a Markdown text: each heading with steps below it is a phase. */
export function readChecklist(text: string): WrittenPhase[] {
  const phases: WrittenPhase[] = [];
  let name = "Plan";
  let isCode = false;
  let phase: WrittenPhase | undefined;
  for (const line of text.split("\n")) {
    if (FENCE.test(line)) isCode = !isCode;
    if (isCode) continue;
    const heading = HEADING.exec(line)?.[1];
    if (heading !== undefined) {
      name = heading;
      phase = undefined;
    }
    const [, mark, content] = STEP.exec(line) ?? [];
    if (content === undefined) continue;
    if (phase === undefined) {
      phase = { name, tasks: [] };
      phases.push(phase);
    }
    phase.tasks.push({ content, status: mark === " " ? "pending" : "completed" });
  }
  return phases;
}

/** True if the last thing that the model was told about the permission mode is to make a plan. */
function isInPlanMode(path: readonly KnownSessionEntry[]): boolean {
  const told = path.findLast((entry) => entry.type === "custom_message" && entry.customType === MODE_NOTE);
  return told?.type === "custom_message" && isPlanModeNote(told);
}

function textOf({ content }: AssistantMessage): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("");
}
