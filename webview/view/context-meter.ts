import { createButton, icon } from "../controls.ts";
import type { ContextParts } from "../protocol/to-panel.ts";
import type { PanelUi } from "../protocol/ui.ts";
import { count, el, setText } from "./dom.ts";
import type { ViewContext } from "./item-view.ts";

/** How full the model's window is: a ring that opens what fills it, what the session has cost, and a way to make room. */
export interface ContextMeter {
  readonly element: HTMLElement;
  show(ui: PanelUi): void;
  /** Fills in the answer to `readContext`. */
  showParts(parts: ContextParts): void;
}

/** Shares of the window from which on it is said to be filling up, and to be nearly full. */
const FILLING = 0.7;
const NEARLY_FULL = 0.9;

const PARTS = [
  ["systemPrompt", "System prompt", true],
  ["tools", "Tools", true],
  ["conversation", "Conversation", false],
  ["free", "Free", false],
] as const;

type Facts = Pick<PanelUi, "status" | "contextTokens" | "contextWindow" | "isCompacting" | "costUsd" | "costLimitUsd">;

export function createContextMeter({ host, say }: Pick<ViewContext, "host" | "say">): ContextMeter {
  const ring = el("span", "meter-ring", { "aria-hidden": "true" });
  const mark = icon("warning");
  const text = el("span", "meter-text");
  const button = el("button", "meter", { type: "button", "aria-haspopup": "dialog", "aria-expanded": "false" }, [
    ring,
    mark,
    text,
  ]);
  const card = createCard({
    compact(instructions) {
      host.post({ type: "compact", instructions });
      say("Making room in the context", "polite");
    },
    stop: () => host.post({ type: "stopActivity", activity: "compaction" }),
    closed: () => button.setAttribute("aria-expanded", "false"),
  });
  button.addEventListener("click", () => {
    host.post({ type: "readContext" });
    button.setAttribute("aria-expanded", "true");
    card.open(button);
  });
  let wasCompacting = false;
  return {
    element: button,
    show(ui) {
      // What is shown of the parts is of before.
      if (wasCompacting && !ui.isCompacting && card.isOpen()) host.post({ type: "readContext" });
      wasCompacting = ui.isCompacting === true;
      const words = headline(ui);
      button.hidden = words === "";
      const level = levelOf(ui);
      button.className = `meter is-${level}`;
      mark.hidden = level === "normal";
      ring.style.setProperty("--fill", String(Math.min(1, share(ui) ?? 0)));
      setText(text, words);
      const label = `Context: ${sentence(ui)}`;
      button.setAttribute("aria-label", label);
      button.title = label;
      card.show(ui);
    },
    showParts: card.showParts,
  };
}

interface CardActions {
  compact(instructions: string): void;
  stop(): void;
  closed(): void;
}

function createCard(actions: CardActions) {
  const head = el("div", "meter-head");
  const rows = el("dl", "meter-parts");
  const note = el("div", "meter-note", {}, ["≈ is an estimate from the length of the texts."]);
  const cost = el("div", "meter-cost");
  const hint = el("input", "plan-input", { type: "text", placeholder: "Keep in the summary (optional)" });
  hint.setAttribute("aria-label", "What the summary must keep");
  const compact = createButton({
    label: "Compact Now",
    look: "secondary",
    onClick: () => actions.compact(hint.value),
  });
  const stop = createButton({ label: "Stop Compacting", look: "secondary", onClick: actions.stop });
  const buttons = el("div", "meter-actions", {}, [compact.element, stop.element]);
  const element = el("div", "meter-card", { role: "dialog", "aria-label": "Context and cost", popover: "auto" }, [
    head,
    rows,
    note,
    cost,
    hint,
    buttons,
  ]);
  let opener: HTMLElement | undefined;
  rows.hidden = true;
  note.hidden = true;
  element.addEventListener("toggle", () => {
    if (element.matches(":popover-open")) return;
    const hadKeyboard = element.contains(document.activeElement) || document.activeElement === document.body;
    element.remove();
    actions.closed();
    if (hadKeyboard) opener?.focus({ preventScroll: true });
  });
  element.addEventListener("keydown", (event) => {
    // The keys of the page would take it for theirs.
    event.stopPropagation();
    if (event.key === "Enter" && event.target === hint && !event.isComposing) compact.element.click();
  });
  return {
    isOpen: () => element.isConnected,
    open(button: HTMLElement) {
      opener = button;
      document.body.append(element);
      element.showPopover();
      place(element, button);
      hint.focus({ preventScroll: true });
    },
    show(ui: Facts) {
      setText(head, sentence(ui));
      setText(cost, costWords(ui));
      cost.hidden = cost.textContent === "";
      const isCompacting = ui.isCompacting === true;
      compact.element.hidden = isCompacting;
      compact.setDisabled(ui.status !== "idle");
      compact.element.title = ui.status === "idle" ? "" : "When the run is over";
      stop.element.hidden = !isCompacting;
      hint.hidden = isCompacting;
    },
    showParts(parts: ContextParts) {
      const known = PARTS.flatMap(([name, label, isEstimate]) => {
        const tokens = parts[name];
        if (tokens === undefined) return [];
        return [el("dt", "", {}, [label]), el("dd", "", {}, [`${isEstimate ? "≈ " : ""}${count(tokens)}`])];
      });
      rows.replaceChildren(...known);
      rows.hidden = known.length === 0;
      note.hidden = parts.systemPrompt === undefined && parts.tools === undefined;
      if (opener !== undefined && element.isConnected) place(element, opener);
    },
  };
}

function share({ contextTokens, contextWindow }: Facts): number | undefined {
  return contextTokens === undefined || !contextWindow ? undefined : contextTokens / contextWindow;
}

function levelOf(ui: Facts): "normal" | "filling" | "full" {
  const filled = share(ui) ?? 0;
  if (filled >= NEARLY_FULL) return "full";
  return filled >= FILLING ? "filling" : "normal";
}

function headline({ contextTokens, contextWindow, isCompacting }: Facts): string {
  if (isCompacting) return "compacting…";
  if (contextTokens === undefined) return contextWindow === undefined ? "" : `? / ${count(contextWindow)}`;
  return contextWindow === undefined
    ? `${count(contextTokens)} tokens`
    : `${count(contextTokens)} / ${count(contextWindow)}`;
}

function sentence(ui: Facts): string {
  const { contextTokens, contextWindow, isCompacting } = ui;
  if (isCompacting) return "old history is being summarised";
  const window = contextWindow === undefined ? "" : ` of ${contextWindow.toLocaleString("en")}`;
  if (contextTokens === undefined) return `how much${window} tokens is used is known after the next answer`;
  const filled = share(ui);
  const percent = filled === undefined ? "" : `, ${wordPercent(filled)}`;
  const warning = { normal: "", filling: ", filling up", full: ", nearly full" }[levelOf(ui)];
  return `${contextTokens.toLocaleString("en")}${window} tokens${percent}${warning}`;
}

function wordPercent(filled: number): string {
  const rounded = Math.round(100 * filled);
  return rounded === 0 && filled > 0 ? "<\u00a01 %" : `${rounded} %`;
}

function costWords({ costUsd, costLimitUsd }: Facts): string {
  const limit = costLimitUsd === undefined ? "" : `, limit $${costLimitUsd.toFixed(2)}`;
  if (costUsd === undefined) return "";
  return `The session has cost ${costUsd < 0.01 ? "less than $0.01" : `$${costUsd.toFixed(2)}`}${limit}`;
}

/** Above the button, never beyond the edges. */
function place(card: HTMLElement, button: HTMLElement): void {
  const at = button.getBoundingClientRect();
  const { width, height } = card.getBoundingClientRect();
  card.style.left = `${Math.max(4, Math.min(at.right - width, window.innerWidth - width - 4))}px`;
  card.style.top = `${Math.max(4, at.top - height - 4)}px`;
}
