import type { PermissionOption, RequestPermissionResponse, ToolCallContent } from "@agentclientprotocol/sdk";
import * as z from "zod";
import type { ApprovalQuestion, ChangePreview } from "../../protocol/dialogs.ts";
import { META } from "../updates/session-feed.ts";
import { diffContent, type FileChange, patchContent, textContent } from "../updates/tool-content.ts";

/** An answer that the client can give, and what it means to the agent. */
export interface OfferedAnswer {
  option: PermissionOption;
  /** One of the options of the agent's question. */
  value: string;
}

const Reason = z.object({ [META]: z.object({ reason: z.string() }) });

/** Returns the answers to an approval. Another rule can't be worded here, so that answer isn't offered. */
export function approvalAnswers({ once, rules, sandbox, deny }: ApprovalQuestion): OfferedAnswer[] {
  const contained: OfferedAnswer[] =
    sandbox === undefined
      ? []
      : [{ option: { optionId: "sandbox", name: sandbox.option, kind: "allow_once" }, value: sandbox.option }];
  return [
    { option: { optionId: "once", name: once, kind: "allow_once" }, value: once },
    ...rules.map(({ option, scope }) => ({
      option: { optionId: `rule:${scope}`, name: option, kind: "allow_always" as const },
      value: option,
    })),
    ...contained,
    { option: { optionId: "deny", name: deny, kind: "reject_once" }, value: deny },
  ];
}

/** Returns the answers to a question that is no approval. */
export function choiceAnswers(options: readonly string[]): OfferedAnswer[] {
  return options.map((value, index) => ({
    option: { optionId: `choice:${index}`, name: value, kind: "allow_once" },
    value,
  }));
}

/** Returns the answers to a yes-or-no question. */
export function yesOrNo(): OfferedAnswer[] {
  return [
    { option: { optionId: "yes", name: "Yes", kind: "allow_once" }, value: "yes" },
    { option: { optionId: "no", name: "No", kind: "reject_once" }, value: "no" },
  ];
}

/** Returns the chosen value; undefined if the client cancelled, or named an answer that was not offered. */
export function readAnswer(
  { outcome }: RequestPermissionResponse,
  answers: readonly OfferedAnswer[],
): string | undefined {
  if (outcome.outcome !== "selected") return undefined;
  return answers.find(({ option }) => option.optionId === outcome.optionId)?.value;
}

/** Returns the reason that a client gives for a refusal, in `_meta`. */
export function readReason({ outcome }: RequestPermissionResponse): string | undefined {
  if (outcome.outcome !== "selected") return undefined;
  return Reason.safeParse(outcome._meta).data?.[META].reason;
}

/** Returns what the user should see before answering: the reasons for the question, and the change. */
export function approvalContent(
  { reasons, sandbox, preview }: Pick<ApprovalQuestion, "reasons" | "sandbox" | "preview">,
  change: FileChange | undefined,
): ToolCallContent[] {
  const told = reasons.length === 0 ? [] : [textContent(reasons.map((reason) => `- ${reason}`).join("\n"))];
  const offered = sandbox === undefined ? [] : [textContent(sandbox.text)];
  return [...told, ...offered, ...changeContent(preview, change)];
}

function changeContent(preview: ChangePreview | undefined, change: FileChange | undefined): ToolCallContent[] {
  if (change !== undefined) return [diffContent(change)];
  return preview === undefined ? [] : patchContent(preview);
}
