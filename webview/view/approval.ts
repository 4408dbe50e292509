import { createButton, icon } from "../controls.ts";
import type { PanelAnswer } from "../protocol/from-panel.ts";
import type { Approval, QuestionItem } from "../protocol/items.ts";
import { codeRegion, region } from "./code-region.ts";
import { el } from "./dom.ts";
import { toolIcon } from "./tool-icon.ts";

const SCOPES = { session: "This session", workspace: "Workspace", always: "Always" } as const;

/** The head of an approval: which tool, what it would do, and why that is asked. */
export function approvalHead({ toolName, subject, code, codeLanguage, reasons }: Approval): HTMLElement[] {
  // The subject of a command is its first line, that of an unknown tool its arguments: both are in the code.
  const isSaidByCode = code !== "" && (codeLanguage === "bash" || subject.startsWith("{"));
  const what = codeLanguage === "bash" ? "Command" : "Arguments";
  return [
    el("div", "question-title", {}, [
      icon(toolIcon(toolName)),
      el("span", "", {}, ["Allow ", el("code", "", {}, [toolName]), "?"]),
    ]),
    ...(subject === "" || isSaidByCode ? [] : [region("approval-subject", "What is asked about", subject)]),
    ...(code === "" ? [] : [el("div", "approval-code", {}, [codeRegion(what, code, codeLanguage)])]),
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
  ];
}

/** Fills in the answers: once or not at all first, then what the user need not be asked about again. */
export function fillApproval(approval: Approval, parent: HTMLElement, answer: (value: PanelAnswer) => void): void {
  const button = (label: string, value: string, look: "primary" | "secondary") =>
    createButton({ label, look, onClick: () => answer({ type: "value", value }) }).element;
  parent.append(button(approval.once, approval.once, "primary"), button(approval.deny, approval.deny, "secondary"));
  if (approval.rules.length === 0) return;
  const rules = el("div", "approval-rules", { role: "group", "aria-label": "Do not ask again" });
  for (const text of new Set(approval.rules.map((rule) => rule.text))) {
    const scopes = approval.rules.filter((rule) => rule.text === text);
    const buttons = scopes.map(({ scope, option }) => {
      const element = button(SCOPES[scope], option, "secondary");
      element.setAttribute("aria-label", option);
      element.title = option;
      return element;
    });
    rules.append(
      el("div", "approval-rule", {}, ["Do not ask again for ", el("code", "", {}, [text])]),
      el("div", "approval-scopes", {}, buttons),
    );
  }
  const { change } = approval;
  if (change !== undefined) rules.append(el("div", "approval-change", {}, [button(change, change, "secondary")]));
  parent.append(rules);
}

/** What became of an approval, in one line. */
export function approvalRecord(item: QuestionItem): HTMLElement {
  const words = item.answer ?? "";
  const isAllowed = words.startsWith("Allowed");
  const [verdict = "", ...rest] = words.split(": ");
  return el("div", "approval-record", { title: words }, [
    icon(isAllowed ? "check" : "circle-slash"),
    el("span", "approval-verdict", {}, [rest.length === 0 ? verdict : `${verdict}:`]),
    el("code", "", {}, [rest.join(": ")]),
  ]);
}

/** What screen readers are told at once. */
export function approvalWords({ toolName, subject, reasons }: Approval): string {
  return [`Approval needed: ${toolName} ${subject}`.trim(), ...reasons, "Alt+A goes to it"].join(". ");
}
