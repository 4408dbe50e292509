import type { ApprovalQuestion, DialogRequest } from "../../../agent/protocol/dialogs.ts";
import { t } from "../../../webview/l10n.ts";
import type { Approval, ToolItem } from "../../../webview/protocol/items.ts";
import { effectsOf } from "./command-effects.ts";
import { otherReasons, wordDangers } from "./danger-words.ts";
import { MAX_DIFF_CHARS } from "./fold-tools.ts";
import { changedWords } from "./word-diff.ts";

/**
 * Returns an approval as the page shows it. @param call the tool call that it is about, if the transcript has it.
 * @param cwd the folder that paths are shown from.
 */
export function approvalOf(question: ApprovalQuestion, call: ToolItem | undefined, cwd = ""): Approval {
  const { tool, toolCallId, subject, reasons, danger = [], once, deny, change, rules } = question;
  const { tryOut, apply, effects, sandbox } = question;
  return {
    toolName: tool,
    callId: toolCallId,
    subject,
    ...codeOf(question, call),
    reasons: otherReasons(reasons, danger),
    ...(danger.length === 0 ? {} : { dangers: wordDangers(danger) }),
    once,
    deny,
    ...(change === undefined ? {} : { change }),
    ...(tryOut === undefined ? {} : { tryOut }),
    ...(apply === undefined ? {} : { apply }),
    ...(effects === undefined ? {} : { effects: effectsOf(effects, cwd) }),
    ...(sandbox === undefined ? {} : { sandbox: sandbox.option }),
    rules: rules.map(({ scope, text, covers, option }) => ({ scope, text, ...(covers && { covers }), option })),
  };
}

/** Returns the change to the file, if the question has a preview; otherwise the arguments of the call. */
function codeOf(
  { preview }: ApprovalQuestion,
  call: ToolItem | undefined,
): Pick<Approval, "code" | "codeLanguage" | "words"> {
  if (preview !== undefined) {
    const code = preview.diff.slice(0, MAX_DIFF_CHARS);
    return { code, codeLanguage: "diff", words: changedWords(code, true) };
  }
  if (call === undefined) return { code: "" };
  const { input, inputLanguage } = call;
  return { code: input, ...(inputLanguage === undefined ? {} : { codeLanguage: inputLanguage }) };
}

/** Returns the rule that a question asks to change, or `undefined` for any other question. A rule is one line, so it needs no document. */
export function ruleAskedFor(request: DialogRequest): string | undefined {
  if (request.method !== "editor" || request.rule === undefined || request.prefill?.includes("\n")) return undefined;
  return request.prefill;
}

/** Returns the outcome of an approval as a note on the card of its call. @param answer undefined if nobody answered. */
export function noteApproval(approval: Approval, answer: string | undefined, isEdited: boolean): string {
  if (answer === undefined) return t("Not answered");
  if (answer === approval.sandbox) return t("Allowed in the sandbox");
  if (answer === approval.once) return isEdited ? t("Allowed once with your edits") : t("Allowed once");
  if (answer === approval.apply) return t("Applied the previewed changes");
  return answer === approval.deny ? t("Denied") : wordApproval(approval, answer, isEdited);
}

/** Returns the outcome of an approval, in one line for people. @param answer undefined if nobody answered. */
export function wordApproval(approval: Approval, answer: string | undefined, isEdited = false): string {
  const { toolName, subject, once, deny, rules, sandbox } = approval;
  const call = `${toolName} ${subject}`.trim();
  if (answer === undefined) return t("Not answered: {0}", call);
  if (answer === once) return isEdited ? t("Allowed once with your edits: {0}", call) : t("Allowed once: {0}", call);
  if (answer === deny) return t("Denied: {0}", call);
  if (answer === approval.apply) return t("Applied the previewed changes: {0}", call);
  if (answer === sandbox) return t("Allowed in the sandbox: {0}", call);
  const rule = rules.find(({ option }) => option === answer);
  return rule === undefined ? answer : wordAllowed(rule, isEdited);
}

function wordAllowed({ scope, text }: Approval["rules"][number], isEdited: boolean): string {
  if (isEdited) {
    return {
      session: t("Allowed in this session, this time with your edits: {0}", text),
      workspace: t("Allowed in this workspace, this time with your edits: {0}", text),
      always: t("Always allowed, this time with your edits: {0}", text),
    }[scope];
  }
  return {
    session: t("Allowed in this session: {0}", text),
    workspace: t("Allowed in this workspace: {0}", text),
    always: t("Always allowed: {0}", text),
  }[scope];
}
