import type { ChangePreview, DialogRequest } from "../../../agent/protocol/dialogs.ts";
import { t } from "../../../webview/l10n.ts";
import type { Approval, ToolItem } from "../../../webview/protocol/items.ts";
import { MAX_DIFF_CHARS } from "./fold-tools.ts";
import { changedWords } from "./word-diff.ts";

// As the gate words them on the wire; people read the texts of their own language.
const ONCE = "Allow once";
const DENY = "Deny";
const CHANGE = "Change the rule…";
const TITLE = /^Allow (\S+)\? ?([^\n]*)(?:\n([\s\S]*))?$/;
const CONSENT_TITLE = /^Allow the (extension|MCP server) "/;
const CONSENT_OPTIONS = ["Allow", "Do not allow"];
const RULE_TITLE = /^The rule for \S+$/;
const SCOPES = [
  { scope: "session", prefix: "Allow for this session: " },
  { scope: "workspace", prefix: "Allow in this workspace: " },
  { scope: "always", prefix: "Allow always: " },
] as const;

/** What is appended to the first line of a command when there is more of it. */
const SUMMARY_END = /(?:…|\.{3})?(?: \(\+\d+ lines?\))?$/;

/**
 * Takes the question of the permission gate apart; `undefined` for any other question.
 * @param calls the tool calls without a result, of which one is asked about.
 */
export function readApproval(
  title: string,
  options: readonly string[],
  calls: Iterable<ToolItem> = [],
): Approval | undefined {
  const [, toolName, subject = "", reasons = ""] = TITLE.exec(title) ?? [];
  if (toolName === undefined || !options.includes(ONCE) || !options.includes(DENY)) return undefined;
  const rules = options.flatMap((option) => {
    const known = SCOPES.find(({ prefix }) => option.startsWith(prefix));
    return known === undefined ? [] : [{ scope: known.scope, text: option.slice(known.prefix.length), option }];
  });
  const hasChange = options.includes(CHANGE);
  // An answer that we would not show must not get lost: such a question is shown as it is.
  if (options.length !== rules.length + (hasChange ? 3 : 2)) return undefined;
  return {
    toolName,
    subject,
    ...codeOf(toolName, subject, [...calls]),
    reasons: reasons.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()])),
    once: ONCE,
    deny: DENY,
    ...(hasChange ? { change: CHANGE } : {}),
    rules,
  };
}

/** An approval with what would be changed in the file as it is, in place of what the model wrote. */
export function withPreview(approval: Approval, { diff }: ChangePreview): Approval {
  const code = diff.slice(0, MAX_DIFF_CHARS);
  return { ...approval, code, codeLanguage: "diff", words: changedWords(code, true) };
}

/** True for the question whether an extension or an MCP server of the project may run. */
export function isConsent(request: DialogRequest): boolean {
  if (request.method !== "select" || !CONSENT_TITLE.test(request.title)) return false;
  return (
    request.options.length === CONSENT_OPTIONS.length && CONSENT_OPTIONS.every((one) => request.options.includes(one))
  );
}

/** The rule that the permission gate wants changed, or `undefined` for any other question: it is one line, so it is asked for as one. */
export function ruleAskedFor(request: DialogRequest): string | undefined {
  if (request.method !== "editor" || request.prefill === undefined) return undefined;
  return RULE_TITLE.test(request.title) && !request.prefill.includes("\n") ? request.prefill : undefined;
}

/** What became of the question, in one line for people. @param answer undefined when nobody answered. */
export function wordApproval({ toolName, subject }: Approval, answer: string | undefined, isEdited = false): string {
  const call = `${toolName} ${subject}`.trim();
  if (answer === undefined) return t("Not answered: {0}", call);
  if (answer === ONCE) return isEdited ? t("Allowed once, as you edited it: {0}", call) : t("Allowed once: {0}", call);
  if (answer === DENY) return t("Denied: {0}", call);
  const known = SCOPES.find(({ prefix }) => answer.startsWith(prefix));
  return known === undefined ? answer : wordAllowed(known.scope, answer.slice(known.prefix.length), isEdited);
}

function wordAllowed(scope: (typeof SCOPES)[number]["scope"], rule: string, isEdited: boolean): string {
  if (isEdited) {
    return {
      session: t("Allowed for this session, this time as you edited it: {0}", rule),
      workspace: t("Allowed in this workspace, this time as you edited it: {0}", rule),
      always: t("Allowed always, this time as you edited it: {0}", rule),
    }[scope];
  }
  return {
    session: t("Allowed for this session: {0}", rule),
    workspace: t("Allowed in this workspace: {0}", rule),
    always: t("Allowed always: {0}", rule),
  }[scope];
}

/** The whole of what is asked about, when it is beyond doubt which call that is: another one's must never be shown. */
function codeOf(
  toolName: string,
  subject: string,
  calls: readonly ToolItem[],
): Pick<Approval, "code" | "codeLanguage"> {
  const start = flat(subject.replace(SUMMARY_END, ""));
  const fitting = calls.filter(
    (call) => call.toolName === toolName && [call.input, call.intent].some((text) => flat(text).startsWith(start)),
  );
  const [first, ...others] = fitting;
  if (first === undefined || others.some(({ input }) => input !== first.input)) return { code: "" };
  const { input, inputLanguage } = first;
  return { code: input, ...(inputLanguage === undefined ? {} : { codeLanguage: inputLanguage }) };
}

/** Without blanks, since arguments are written on one line there and on several here. */
function flat(text: string): string {
  return text.replace(/[\s\p{C}]+/gu, "");
}
