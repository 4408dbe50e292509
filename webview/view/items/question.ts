import { t } from "../../l10n.ts";
import type { PanelAnswer } from "../../protocol/from-panel.ts";
import { offersNo, type QuestionItem } from "../../protocol/items.ts";
import { createButton, createTextBox, icon, type TextBox } from "../common/controls.ts";
import { duration, el, isComposing, setText } from "../common/dom.ts";
import { hostNow } from "../common/host-clock.ts";
import type { ItemView, ViewContext } from "../common/item-view.ts";
import { approvalHead, approvalRecord, approvalWords, fillApproval } from "./approval.ts";

/** An approval that comes so soon after an answer may stand where the last one stood, and so soon nobody has read it. */
const UNREAD_MS = 500;

/** The outcome of a question, besides its answer. */
function outcomeWords({ state, answer }: QuestionItem): string {
  if (state === "pending") return "";
  if (answer) return t("Answered: {0}", answer);
  return {
    answered: t("Answered"),
    cancelled: t("Canceled"),
    withdrawn: t("No longer needed"),
    timedOut: t("Timed out"),
  }[state];
}

/** The name of a question that is asked or was. */
function wordQuestion({ state, approval }: QuestionItem, title: string): string {
  if (approval !== undefined) {
    return {
      pending: t("Approval: {0}, needs your answer", title),
      answered: t("Approval: {0}, answered", title),
      cancelled: t("Approval: {0}, canceled", title),
      withdrawn: t("Approval: {0}, canceled", title),
      timedOut: t("Approval: {0}, timed out", title),
    }[state];
  }
  return {
    pending: t("Question: {0}, needs your answer", title),
    answered: t("Question: {0}, answered", title),
    cancelled: t("Question: {0}, canceled", title),
    withdrawn: t("Question: {0}, no longer needed", title),
    timedOut: t("Question: {0}, timed out", title),
  }[state];
}

/** A question in one line. */
function titleOf({ approval, title }: QuestionItem): string {
  if (approval) return t("Allow {0}? {1}", approval.toolName, approval.subject).trim();
  return title.split("\n", 1)[0] ?? "";
}

/** The announcement of a question for screen readers. */
function announcement({ approval, title, message = "" }: QuestionItem): string {
  if (approval) return approvalWords(approval);
  return t("Question: {0}. Press Alt+A to answer.", [title, message].filter((part) => part !== "").join(". "));
}

function questionHead(title: string): HTMLElement {
  const words = el("span", "question-words", { dir: "auto" }, [title]);
  return el("div", "question-title", {}, [icon("question"), words]);
}

/** A question that the agent asked, answerable by keyboard while it is pending. */
export function questionView(first: QuestionItem, context: ViewContext): ItemView {
  let item = first;
  let timer: ReturnType<typeof setInterval> | undefined;
  const { approval } = first;
  const titleLine = titleOf(first);
  const head = approval
    ? approvalHead(approval, () => context.host.post({ type: "openDiff", id: first.id }))
    : [questionHead(first.title)];
  const message = el("div", "question-message", { dir: "auto" });
  const answers = el("div", "question-answers");
  const rest = el("div", "question-rest");
  const group = el("div", "question-group", { role: "group", "aria-label": titleLine });
  const element = el("article", "item question", {}, [group]);
  element.classList.toggle("approval", approval !== undefined);
  element.classList.toggle("is-dangerous", approval?.dangers !== undefined);
  // The keyboard goes to the card itself where no answer may be preselected.
  if (approval?.dangers !== undefined) group.tabIndex = -1;

  function answer(value: PanelAnswer): void {
    context.host.post({ type: "answer", requestId: item.requestId, answer: value });
    context.lastAnswer.at = performance.now();
    context.rule.isUnderWay = isRule(item) || (value.type === "value" && value.value === approval?.change);
    if (!context.rule.isUnderWay) context.focusComposer();
  }
  function showRest(): void {
    setText(rest, restOf(item));
  }
  function show(): void {
    element.classList.toggle("is-pending", item.state === "pending");
    element.classList.toggle("is-edited", item.isEdited === true);
    element.setAttribute("aria-label", wordQuestion(item, titleLine));
    setText(message, item.message ?? "");
    clearInterval(timer);
    if (item.state !== "pending") {
      if (approval) group.replaceChildren(approvalRecord(item));
      else answers.replaceChildren(outcome(item));
      setText(rest, "");
      return;
    }
    showRest();
    if (item.deadline !== undefined) timer = setInterval(showRest, 1_000);
  }

  group.append(...head, message, answers, rest);
  group.addEventListener("keydown", (event) => moveBetweenAnswers(event, group, answers));
  show();
  if (first.state === "pending") {
    const open = () => context.host.post({ type: "showQuestion", requestId: first.requestId });
    fillAnswers(first, answers, { answer, open });
    if (approval && performance.now() - context.lastAnswer.at < 2 * UNREAD_MS) holdOff(answers);
    if (approval || isRule(first)) followRule(element, context);
    context.say(announcement(first), "assertive");
  }
  return {
    element,
    update(next) {
      if (next.kind !== "question") return;
      item = next;
      show();
    },
    dispose: () => clearInterval(timer),
  };
}

/** Ignores the pointer for a moment: the second click of a double click wasn't meant for this. Keys work at once. */
function holdOff(answers: HTMLElement): void {
  answers.classList.add("is-held-off");
  setTimeout(() => answers.classList.remove("is-held-off"), UNREAD_MS);
}

/** One line with something in it to begin with: only the rule of an approval is asked for so. */
function isRule(item: QuestionItem): boolean {
  return item.method === "input" && item.prefill !== undefined;
}

/** Goes on with the keyboard where the answer of a moment ago leads, unless the user has gone somewhere else. */
function followRule(element: HTMLElement, context: ViewContext): void {
  if (!context.rule.isUnderWay) return;
  context.rule.isUnderWay = false;
  context.frame.request(() => {
    if (document.activeElement !== document.body) return;
    element.scrollIntoView({ block: "nearest" });
    focusQuestion(element);
  });
}

/** Puts the keyboard on the first thing with which a question can be answered, and on the card of a dangerous one. */
export function focusQuestion(element: HTMLElement): void {
  const target =
    element.querySelector(".is-dangerous > .question-group") ??
    element.querySelector("vscode-text-area, .question-answers vscode-button");
  if (target instanceof HTMLElement) target.focus();
}

interface AnswerWays {
  answer(value: PanelAnswer): void;
  /** Opens the document or the editor's input box in which the user writes the answer. */
  open(): void;
}

function fillAnswers(item: QuestionItem, parent: HTMLElement, { answer, open }: AnswerWays): void {
  const cancel = createButton({ label: t("Cancel"), look: "secondary", onClick: () => answer({ type: "cancelled" }) });
  if (item.approval) {
    fillApproval(item.approval, parent, answer);
    return;
  }
  if (item.method === "select") {
    cancel.element.hidden = offersNo(item.options);
    for (const [index, value] of item.options.entries()) {
      const look = index === 0 ? "primary" : "secondary";
      parent.append(createButton({ label: value, look, onClick: () => answer({ type: "value", value }) }).element);
    }
  } else if (item.method === "confirm") {
    for (const confirmed of [true, false]) {
      const onClick = () => answer({ type: "confirmed", confirmed });
      const look = confirmed ? "primary" : "secondary";
      parent.append(createButton({ label: confirmed ? t("Yes") : t("No"), look, onClick }).element);
    }
    return;
  } else if (item.method === "input" && item.isSecret === true) {
    parent.append(createButton({ label: t("Answer"), look: "primary", onClick: open }).element);
  } else if (item.method === "input") {
    addInput(item, parent, answer);
  } else {
    parent.append(
      el("div", "question-hint", {}, [t("Write your answer in a document and submit it there.")]),
      createButton({ label: t("Open Document"), look: "primary", onClick: open }).element,
    );
  }
  parent.append(cancel.element);
}

function addInput(item: QuestionItem, parent: HTMLElement, answer: (value: PanelAnswer) => void): void {
  const holder = el("div", "question-input");
  parent.append(holder);
  let box: TextBox | undefined;
  const send = () => answer({ type: "value", value: box?.read() ?? "" });
  // The box can only be filled once it is in the document, which the caller sees to within this turn.
  queueMicrotask(() => {
    box = createTextBox({
      label: item.title,
      placeholder: item.placeholder ?? "",
      value: item.prefill ?? "",
      parent: holder,
      maxHeight: "30vh",
    });
    box.element.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || isComposing(event)) return;
      event.preventDefault();
      send();
    });
  });
  parent.append(createButton({ label: t("Submit"), look: "primary", onClick: send }).element);
}

function moveBetweenAnswers(event: KeyboardEvent, group: HTMLElement, answers: HTMLElement): void {
  const step =
    event.key === "ArrowDown" || event.key === "ArrowRight"
      ? 1
      : event.key === "ArrowUp" || event.key === "ArrowLeft"
        ? -1
        : 0;
  const buttons: Element[] = [...answers.querySelectorAll("vscode-button")];
  const at = document.activeElement ? buttons.indexOf(document.activeElement) : -1;
  if (step === 0 || (at === -1 && document.activeElement !== group)) return;
  event.preventDefault();
  event.stopPropagation();
  const next = buttons[at === -1 ? 0 : (at + step + buttons.length) % buttons.length];
  if (next instanceof HTMLElement) next.focus();
}

function outcome(item: QuestionItem): HTMLElement {
  return el("div", "question-outcome", {}, [outcomeWords(item)]);
}

function restOf(item: QuestionItem): string {
  if (item.deadline === undefined) return "";
  const leftMs = Math.max(0, item.deadline - hostNow());
  return t("Continues without an answer in {0}", duration(Math.ceil(leftMs / 1_000) * 1_000));
}
