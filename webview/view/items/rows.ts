import { formatDollars, t } from "../../l10n.ts";
import type { TranscriptItem } from "../../protocol/items.ts";
import { PANEL_COMMANDS } from "../../protocol/panel-commands.ts";
import { createButton, createSpinner, icon } from "../common/controls.ts";
import { count, duration, el, GAP, setText } from "../common/dom.ts";
import { hostNow } from "../common/host-clock.ts";
import type { ItemView, ViewContext } from "../common/item-view.ts";
import { referenceRow } from "./references.ts";

type Item<Kind extends TranscriptItem["kind"]> = Extract<TranscriptItem, { kind: Kind }>;

/** A line that is not a message. */
export function noticeView(item: Item<"notice">, context: ViewContext): ItemView {
  const element = el("article", "item");
  function show(next: Item<"notice">): void {
    element.className = `item notice is-${next.level}`;
    element.setAttribute("aria-label", `${levelWord(next.level)}: ${next.text}`);
    const content = el("div", "notice-content", {}, [el("div", "notice-text", {}, [next.text])]);
    if (next.detail) content.append(details(next.detail));
    const actions = [next.action, next.secondAction].flatMap((action) => (action ? [action] : []));
    const buttons = actions.flatMap((action) => commandButton(action, context) ?? []);
    if (buttons.length > 0) content.append(el("div", "notice-actions", {}, buttons));
    refill(element, icon(next.level), content);
  }
  show(item);
  return { element, update: (next) => next.kind === "notice" && show(next) };
}

/** Puts other things into an item. The keyboard stays with it when the button goes that had it. */
function refill(element: HTMLElement, ...nodes: Node[]): void {
  const { activeElement } = document;
  const hadFocus = activeElement !== element && element.contains(activeElement);
  element.replaceChildren(...nodes);
  if (hadFocus) element.focus({ preventScroll: true });
}

/** Waiting to try again, or making room in the context. */
export function activityView(item: Item<"activity">, context: Pick<ViewContext, "host">): ItemView {
  const element = el("article", "item activity");
  let timer: ReturnType<typeof setInterval> | undefined;
  function show(next: Item<"activity">): void {
    element.setAttribute("aria-label", next.text);
    const mark = next.isRunning ? createSpinner() : icon(next.activity === "retry" ? "refresh" : "fold-down");
    const text = el("div", "notice-text", {}, [next.text]);
    const content = el("div", "notice-content", {}, [text]);
    // The reason matters only during the wait.
    if (next.detail)
      content.append(next.isRunning ? el("div", "notice-reason", {}, [next.detail]) : details(next.detail));
    if (next.isRunning) content.append(el("div", "notice-actions", {}, [stopButton(next.activity, context)]));
    refill(element, mark, content);
    clearInterval(timer);
    const { until } = next;
    if (!next.isRunning || until === undefined) return;
    const count = () => setText(text, countdown(next.text, until));
    count();
    timer = setInterval(count, 1_000);
  }
  show(item);
  return {
    element,
    update: (next) => next.kind === "activity" && show(next),
    dispose: () => clearInterval(timer),
  };
}

function stopButton(activity: Item<"activity">["activity"], { host }: Pick<ViewContext, "host">): HTMLElement {
  const label = activity === "retry" ? t("Stop Retrying") : t("Stop Compacting");
  return createButton({ label, look: "secondary", onClick: () => host.post({ type: "stopActivity", activity }) })
    .element;
}

/** The text with the seconds that are left in place of those that there were. */
function countdown(text: string, until: number): string {
  const seconds = Math.max(0, Math.round((until - hostNow()) / 1_000));
  // The host says it in the same words.
  const words = t("in {0}s", GAP).replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return text.replace(new RegExp(words.replace(GAP, "\\d+")), seconds === 0 ? t("now") : t("in {0}s", seconds));
}

/** The facts below an answer. */
export function footerView(item: Item<"footer">, { host }: Pick<ViewContext, "host">): ItemView {
  const list = el("span", "footer-list");
  const box = el("span", "footer-facts", {}, [list]);
  const name = t("Fork from here: start a new session with everything up to this response");
  const fork = el("button", "item-action footer-fork", { type: "button", title: name, "aria-label": name }, [
    icon("repo-forked"),
  ]);
  fork.addEventListener("click", () => host.post({ type: "fork", id: item.id }));
  const line = el("div", "footer-line", {}, [box, fork]);
  const element = el("article", "item footer", {}, [line]);
  function show(next: Item<"footer">): void {
    const facts = [next.model];
    if (next.durationMs !== undefined) facts.push(duration(next.durationMs));
    if (next.inputTokens !== undefined) facts.push(t("{0} in", count(next.inputTokens)));
    if (next.outputTokens !== undefined) facts.push(t("{0} out", count(next.outputTokens)));
    if (next.costUsd !== undefined) facts.push(money(next.costUsd));
    // The selection stays.
    if (list.textContent !== facts.join(" · "))
      list.replaceChildren(
        ...facts.map((fact, at) => el("span", "footer-fact", {}, at === 0 ? [fact] : [dot(), fact])),
      );
    const { cacheNote = "" } = next;
    box.title = [cacheSplit(next), cacheNote].filter((text) => text !== "").join("\n");
    const { tools = 0 } = next;
    if (tools > 0) facts.unshift(tools === 1 ? t("1 tool call") : t("{0} tool calls", tools));
    if (cacheNote !== "") facts.push(cacheNote);
    element.setAttribute("aria-label", t("End of response: {0}", facts.join(", ")));
    const references = referenceRow(next, host);
    line.replaceChildren(...(references === undefined ? [] : [references]), box, fork);
  }
  show(item);
  return { element, update: (next) => next.kind === "footer" && show(next) };
}

/** Stands before a fact, and out of sight where the fact begins a line. */
function dot(): HTMLElement {
  return el("span", "footer-dot", {}, [" · "]);
}

/** The sources of the input tokens; empty if none came from the cache. */
function cacheSplit({ inputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 }: Item<"footer">): string {
  if (cacheReadTokens + cacheWriteTokens === 0) return "";
  const fresh = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens);
  const parts = [t("{0} tokens read from the cache", count(cacheReadTokens))];
  if (cacheWriteTokens > 0) parts.push(t("{0} written to the cache", count(cacheWriteTokens)));
  if (fresh > 0) parts.push(t("{0} new", count(fresh)));
  return parts.join(", ");
}

/** A button that runs one of the allowed commands; others get no button. */
export function commandButton(
  { label, command: wanted, subject }: { label: string; command: string; subject?: string | undefined },
  context: Pick<ViewContext, "host">,
  look: "primary" | "secondary" = "secondary",
): HTMLElement | undefined {
  const command = PANEL_COMMANDS.find((allowed) => allowed === wanted);
  if (command === undefined) return undefined;
  const post = ({ detail }: MouseEvent) => {
    // A double click means it once.
    if (detail < 2) context.host.post({ type: "command", command, ...(subject === undefined ? {} : { subject }) });
  };
  return createButton({ label, look, onClick: post }).element;
}

function details(text: string): HTMLElement {
  return el("details", "", {}, [
    el("summary", "", {}, [t("Details")]),
    el("pre", "detail", { tabindex: "0", role: "group", "aria-label": t("Details") }, [text]),
  ]);
}

function levelWord(level: Item<"notice">["level"]): string {
  return level === "error" ? t("Error") : level === "warning" ? t("Warning") : t("Info");
}

function money(usd: number): string {
  return usd < 0.01 ? `<\u00a0${formatDollars(0.01)}` : formatDollars(usd);
}
