import { formatDollars, formatNumber, t } from "../../l10n.ts";
import type { ContextParts } from "../../protocol/to-panel.ts";
import type { PanelUi } from "../../protocol/ui.ts";
import { type Button, createButton, icon } from "../common/controls.ts";
import { count, el, setText } from "../common/dom.ts";
import type { ViewContext } from "../common/item-view.ts";

/** The context meter: a ring that opens the content of the context window, the cost, and *Compact Now*. */
export interface ContextMeter {
  readonly element: HTMLElement;
  show(ui: PanelUi): void;
  /** Fills in the answer to `readContext`. */
  showParts(parts: ContextParts): void;
}

/** Shares of the window from which on it is said to be filling up, and to be nearly full. */
const FILLING = 0.7;
const NEARLY_FULL = 0.9;

/** A part of the context window, its name, and whether it is estimated. */
function partNames() {
  return [
    ["systemPrompt", t("System prompt"), true],
    ["tools", t("Tools"), true],
    ["conversation", t("Messages"), false],
    ["free", t("Free"), false],
  ] as const;
}

type Facts = Pick<
  PanelUi,
  "status" | "contextTokens" | "contextWindow" | "isCompacting" | "costUsd" | "costLimitUsd" | "cacheNote"
>;

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
      say(t("Compacting chat"), "polite");
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
      // The parts shown are outdated.
      if (wasCompacting && !ui.isCompacting && card.isOpen()) host.post({ type: "readContext" });
      wasCompacting = ui.isCompacting === true;
      const words = headline(ui);
      button.hidden = words === "";
      const level = levelOf(ui);
      button.className = `meter is-${level}`;
      mark.hidden = level === "normal";
      ring.style.setProperty("--fill", String(Math.min(1, share(ui) ?? 0)));
      setText(text, words);
      const label = t("Context: {0}", sentence(ui));
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
  const note = el("div", "meter-note", {}, [t("≈ Estimated from the length of the text")]);
  const files = el("ul", "meter-files", { "aria-label": t("Instruction files") });
  const cost = el("div", "meter-cost");
  const cache = el("div", "meter-note");
  const hint = el("input", "plan-input", { type: "text", placeholder: t("What to keep in the summary (optional)") });
  hint.setAttribute("aria-label", t("What to keep in the summary"));
  const compact = createButton({
    label: t("Compact Now"),
    look: "secondary",
    onClick: () => actions.compact(hint.value),
  });
  const stop = createButton({ label: t("Stop Compacting"), look: "secondary", onClick: actions.stop });
  const element = el("div", "meter-card", { role: "dialog", "aria-label": t("Context and cost"), popover: "auto" }, [
    head,
    rows,
    note,
    files,
    cost,
    cache,
    hint,
    el("div", "meter-actions", {}, [compact.element, stop.element]),
  ]);
  let opener: HTMLElement | undefined;
  rows.hidden = true;
  note.hidden = true;
  files.hidden = true;
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
      setText(cache, ui.cacheNote ?? "");
      cache.hidden = ui.cacheNote === undefined;
      showActions(ui, { compact, stop, hint });
    },
    showParts(parts: ContextParts) {
      const known = partRows(parts);
      rows.replaceChildren(...known);
      rows.hidden = known.length === 0;
      note.hidden = parts.systemPrompt === undefined && parts.tools === undefined;
      const named = fileRows(parts.instructions ?? []);
      files.replaceChildren(...named);
      files.hidden = named.length === 0;
      if (opener !== undefined && element.isConnected) place(element, opener);
    },
  };
}

function showActions(ui: Facts, { compact, stop, hint }: { compact: Button; stop: Button; hint: HTMLElement }): void {
  const isCompacting = ui.isCompacting === true;
  compact.element.hidden = isCompacting;
  compact.setDisabled(ui.status !== "idle");
  compact.element.title = ui.status === "idle" ? "" : t("Available after the run");
  stop.element.hidden = !isCompacting;
  hint.hidden = isCompacting;
}

function partRows(parts: ContextParts): HTMLElement[] {
  return partNames().flatMap(([name, label, isEstimate]) => {
    const tokens = parts[name];
    if (tokens === undefined) return [];
    return [el("dt", "", {}, [label]), el("dd", "", {}, [`${isEstimate ? "≈ " : ""}${count(tokens)}`])];
  });
}

function fileRows(files: NonNullable<ContextParts["instructions"]>): HTMLElement[] {
  const words = {
    sent: (name: string) => name,
    matching: (name: string) => t("{0} (with a matching file)", name),
    described: (name: string) => t("{0} (if a task needs it)", name),
  };
  return files.map(({ name, path, state }) => el("li", "", { title: path }, [words[state](name)]));
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
  if (isCompacting) return t("Compacting…");
  if (contextTokens === undefined) return contextWindow === undefined ? "" : `? / ${count(contextWindow)}`;
  return contextWindow === undefined
    ? t("{0} tokens", count(contextTokens))
    : `${count(contextTokens)} / ${count(contextWindow)}`;
}

function sentence(ui: Facts): string {
  const { contextTokens, contextWindow, isCompacting } = ui;
  if (isCompacting) return t("Compacting…");
  if (contextTokens === undefined) {
    return contextWindow === undefined
      ? t("Usage appears after the next response")
      : t("{0}-token window, usage appears after the next response", formatNumber(contextWindow));
  }
  const used = formatNumber(contextTokens);
  const filled = share(ui);
  if (contextWindow === undefined || filled === undefined) return t("{0} tokens", used);
  const window = formatNumber(contextWindow);
  const percent = wordPercent(filled);
  switch (levelOf(ui)) {
    case "normal":
      return t("{0} of {1} tokens ({2})", used, window, percent);
    case "filling":
      return t("{0} of {1} tokens ({2}), filling up", used, window, percent);
    case "full":
      return t("{0} of {1} tokens ({2}), nearly full", used, window, percent);
  }
}

function wordPercent(filled: number): string {
  const percent = (part: number) => formatNumber(part, { style: "percent", maximumFractionDigits: 0 });
  return filled > 0 && filled < 0.005 ? `<\u00a0${percent(0.01)}` : percent(filled);
}

function costWords({ costUsd, costLimitUsd }: Facts): string {
  if (costUsd === undefined) return "";
  if (costUsd >= 0.01) {
    const cost = formatDollars(costUsd);
    return costLimitUsd === undefined
      ? t("Session cost: {0}", cost)
      : t("Session cost: {0} (limit {1})", cost, formatDollars(costLimitUsd));
  }
  const least = formatDollars(0.01);
  return costLimitUsd === undefined
    ? t("Session cost: less than {0}", least)
    : t("Session cost: less than {0} (limit {1})", least, formatDollars(costLimitUsd));
}

/** Above the button, never beyond the edges. */
function place(card: HTMLElement, button: HTMLElement): void {
  const at = button.getBoundingClientRect();
  const { width, height } = card.getBoundingClientRect();
  card.style.left = `${Math.max(4, Math.min(at.right - width, window.innerWidth - width - 4))}px`;
  card.style.top = `${Math.max(4, at.top - height - 4)}px`;
}
