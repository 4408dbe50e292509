import type { ApprovalScope } from "../../protocol/approvals.ts";
import type { ApprovalQuestion, SandboxOffer } from "../../protocol/dialogs.ts";
import type { AnyTool } from "../../tools/tool.ts";
import { visibleLine } from "../../util/visible-text.ts";
import { effectLines } from "./command-trial.ts";
import { shownDangers } from "./danger.ts";
import type { CallJudgement, Proposal } from "./judgement.ts";

export const ALLOW_ONCE = "Allow once";
export const CHANGE_RULE = "Change the rule…";
const DENY = "Deny";
/** The offer of the mode `sandboxed`. */
export const SANDBOX: SandboxOffer = {
  option: "Run commands in a sandbox",
  text: "Commands can run in a sandbox here, where they change only the workspace and see no keys. Tiller then asks less often.",
};
const KEEP: Record<ApprovalScope, string> = {
  session: "Allow for this session: ",
  workspace: "Allow in this workspace: ",
  always: "Allow always: ",
};
const MAX_SUMMARY_LENGTH = 300;
const MAX_REASONS = 4;

/** Returns the answers to an approval, by their meaning. */
export function offer(
  rule: Proposal | undefined,
  scopes: readonly ApprovalScope[],
): Pick<ApprovalQuestion, "once" | "deny" | "change" | "rules"> {
  const answers = { once: ALLOW_ONCE, deny: DENY };
  if (rule === undefined) return { ...answers, rules: [] };
  const { pattern, text, covers, isFixed } = rule;
  const rules = scopes.map((scope) => ({
    scope,
    ...(pattern && { pattern }),
    text,
    covers,
    option: KEEP[scope] + text,
  }));
  return { ...answers, ...(isFixed ? {} : { change: CHANGE_RULE }), rules };
}

/** Returns the same answers as texts, for hosts that know only these. */
export function optionsOf({ once, apply, rules, change, tryOut, sandbox, deny }: ApprovalQuestion): string[] {
  const options = [apply, once, ...rules.map(({ option }) => option), change, sandbox?.option, tryOut, deny];
  return options.filter((option) => option !== undefined);
}

/** Returns the same question as a title, for hosts that know only this. */
export function wordQuestion({ tool, subject, reasons, sandbox, effects }: ApprovalQuestion): string {
  const shown = effects === undefined ? [] : effectLines(effects).map(shortLine);
  const lines = [`Allow ${tool}?${subject === "" ? "" : ` ${subject}`}`, ...reasons, sandbox?.text, ...shown];
  return lines.filter((one) => one !== undefined).join("\n");
}

/** Returns the parts of a question that say what the call does. @param problem with what the user wanted before. */
export function subjectOf(
  tool: AnyTool,
  args: Record<string, unknown>,
  { reasons, commands = [], dangers = [] }: CallJudgement,
  problem: string | undefined,
): Pick<ApprovalQuestion, "subject" | "reasons" | "danger"> {
  const bound = tool.bind(args);
  const subject = shortLine(bound.ok ? bound.input.summary : ""); // what a model names must not look like a line of ours
  // The question shows only the beginning of a script, so it lists the other parts that change something.
  const isCut = typeof args.command === "string" && visibleLine(args.command.trim()) !== subject;
  const further = isCut ? commands.map((one) => `runs ${one}`) : [];
  const complaint = problem === undefined ? [] : [shortLine(problem)];
  const danger = shownDangers(dangers, reasons.map(shortLine), reasons.length <= MAX_REASONS);
  const lines = [...complaint, ...firstOf(reasons), ...firstOf(further)];
  return { subject, reasons: lines, ...(danger.length > 0 && { danger }) };
}

/** Returns a text on one line that is short enough for a question. */
export function shortLine(text: string): string {
  const plain = visibleLine(text);
  return plain.length > MAX_SUMMARY_LENGTH ? `${plain.slice(0, MAX_SUMMARY_LENGTH)}…` : plain;
}

function firstOf(lines: readonly string[]): string[] {
  const more = lines.length > MAX_REASONS ? [`and ${lines.length - MAX_REASONS} more`] : [];
  return [...lines.slice(0, MAX_REASONS).map(shortLine), ...more];
}
