import { t } from "../../l10n.ts";
import { sandboxOffer } from "../../protocol/approval-words.ts";
import type { PanelAnswer } from "../../protocol/from-panel.ts";
import type { Approval, QuestionItem } from "../../protocol/items.ts";
import { codeRegion, diffRegion, region } from "../code/code-region.ts";
import { createButton, createTextBox, icon } from "../common/controls.ts";
import { el, fillGap, GAP, isComposing } from "../common/dom.ts";
import { plainButton } from "../common/plain-buttons.ts";
import { commandEffects } from "./command-effects.ts";
import { toolIcon } from "./tool-icon.ts";

type Rule = Approval["rules"][number];

/** Returns the label of a rule's button, shown beside the rule. */
function scopeLabel(scope: Rule["scope"]): string {
  return { session: t("This Session"), workspace: t("This Workspace"), always: t("Always") }[scope];
}

/** Returns the full label of a rule's button, for screen readers. */
function ruleLabel({ scope, text }: Rule): string {
  return {
    session: t("Allow in this session: {0}", text),
    workspace: t("Allow in this workspace: {0}", text),
    always: t("Always allow: {0}", text),
  }[scope];
}

/** The head of an approval: which tool, what it would do, and why that is asked. */
export function approvalHead(
  { toolName, subject, code, codeLanguage, words, dangers = [], reasons, effects }: Approval,
  openDiff: () => void,
): HTMLElement[] {
  // The subject of a command is its first line, that of an unknown tool its arguments: both are in the code.
  const isSaidByCode = code !== "" && (codeLanguage === "bash" || subject.startsWith("{"));
  const what = codeLanguage === "bash" ? t("Command") : t("Arguments");
  return [
    el("div", "question-title", {}, [
      icon(toolIcon(toolName)),
      el("span", "", {}, fillGap(t("Allow {0}?", GAP), el("code", "", {}, [toolName]))),
    ]),
    ...(dangers.length === 0 ? [] : [el("ul", "approval-dangers", {}, dangers.map(dangerLine))]),
    ...(subject === "" || isSaidByCode ? [] : [region("approval-subject", t("Requested action"), subject)]),
    ...(code === ""
      ? []
      : [
          el("div", "approval-code", {}, [
            words === undefined ? codeRegion(what, code, codeLanguage) : diffRegion(code, words, subject),
          ]),
        ]),
    ...(words === undefined
      ? []
      : [
          el("div", "approval-edited", {}, [t("You have edited this change. Allowing it writes your version.")]),
          el("div", "approval-diff", {}, [diffButton(openDiff)]),
        ]),
    ...(reasons.length === 0
      ? []
      : [
          el(
            "ul",
            "approval-reasons",
            {},
            reasons.map((reason) => el("li", "", {}, [reason])),
          ),
        ]),
    ...(effects === undefined ? [] : [commandEffects(effects)]),
  ];
}

function dangerLine(danger: string): HTMLElement {
  return el("li", "", {}, [icon("warning"), el("span", "", { dir: "auto" }, [danger])]);
}

function diffButton(openDiff: () => void): HTMLElement {
  const button = plainButton({ label: t("Open Diff"), onClick: openDiff });
  button.title = t("Edit the change before you allow it");
  return button;
}

type AddButton = (label: string, value: string, look: "primary" | "secondary") => HTMLElement;

/** Fills in the answers: once or not at all first, then what the user need not be asked about again. */
export function fillApproval(approval: Approval, parent: HTMLElement, answer: (value: PanelAnswer) => void): void {
  const button: AddButton = (label, value, look) =>
    createButton({ label, look, onClick: () => answer({ type: "value", value }) }).element;
  const { apply, tryOut, dangers } = approval;
  const isFirst = apply === undefined && dangers === undefined;
  if (apply !== undefined) parent.append(button(t("Apply Changes"), apply, "primary"));
  parent.append(
    button(t("Allow Once"), approval.once, isFirst ? "primary" : "secondary"),
    button(t("Deny"), approval.deny, "secondary"),
  );
  if (tryOut !== undefined) {
    const preview = button(t("Preview"), tryOut, "secondary");
    preview.title = t("Runs the command without changing anything, and shows what it would change");
    parent.append(preview);
  }
  addReason(approval, parent, answer);
  if (approval.rules.length > 0) parent.append(rulesOf(approval, button));
  if (approval.sandbox === undefined) return;
  const use = button(t("Use the Sandbox"), approval.sandbox, "secondary");
  parent.append(el("div", "approval-sandbox", {}, [el("span", "", {}, [sandboxOffer()]), use]));
}

/** Returns the rules that the user can save, each with what it covers and a button for each scope. */
function rulesOf({ rules, change }: Approval, button: AddButton): HTMLElement {
  const group = el("div", "approval-rules", { role: "group", "aria-label": t("Don't ask again") });
  for (const text of new Set(rules.map((rule) => rule.text))) {
    const scopes = rules.filter((rule) => rule.text === text);
    const buttons = scopes.map((rule) => {
      const element = button(scopeLabel(rule.scope), rule.option, "secondary");
      element.setAttribute("aria-label", ruleLabel(rule));
      element.title = ruleLabel(rule);
      return element;
    });
    group.append(
      el("div", "approval-rule", {}, fillGap(t("Don't ask again for {0}", GAP), el("code", "", {}, [text]))),
      ...[...new Set(scopes.flatMap(({ covers }) => covers ?? []))].map((covers) =>
        el("div", "approval-covers", { dir: "auto" }, [covers]),
      ),
      el("div", "approval-scopes", {}, buttons),
    );
  }
  if (change !== undefined)
    group.append(el("div", "approval-change", {}, [button(t("Edit Rule…"), change, "secondary")]));
  return group;
}

/** Adds the field in which the user denies the call and says why. */
function addReason({ deny }: Approval, parent: HTMLElement, answer: (value: PanelAnswer) => void): void {
  const holder = el("div", "question-input");
  parent.append(holder);
  // The box can only be filled once it is in the document, which the caller sees to within this turn.
  queueMicrotask(() => {
    const label = t("No, and tell the agent…");
    const box = createTextBox({ label, placeholder: label, value: "", parent: holder, maxHeight: "30vh" });
    box.element.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || isComposing(event)) return;
      event.preventDefault();
      const reason = box.read().trim();
      if (reason !== "") answer({ type: "value", value: deny, reason });
    });
  });
}

/** The outcome of an approval, in one line. */
export function approvalRecord(item: QuestionItem): HTMLElement {
  const words = item.answer ?? "";
  const [verdict = "", ...rest] = words.split(": ");
  return el("div", "approval-record", { title: words }, [
    icon(item.isAllowed === true ? "check" : "circle-slash"),
    el("span", "approval-verdict", {}, [rest.length === 0 ? verdict : `${verdict}:`]),
    el("code", "", {}, [rest.join(": ")]),
  ]);
}

/** The announcement for screen readers. */
export function approvalWords({ toolName, subject, dangers = [], reasons, effects }: Approval): string {
  return [
    t("Approval needed: {0} {1}", toolName, subject).trim(),
    ...dangers,
    ...reasons,
    ...(effects === undefined ? [] : [effects.summary]),
    t("Press Alt+A to answer"),
  ].join(". ");
}
