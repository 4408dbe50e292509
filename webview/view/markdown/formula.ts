import { t } from "../../l10n.ts";
import type { FormulaDrawer } from "../../late/contract.ts";
import { el } from "../common/dom.ts";
import { loadScript } from "../common/late-script.ts";
import { whenUnselected } from "../common/unselected.ts";
import { wordFault } from "./late-faults.ts";
import { whenSeen } from "./when-seen.ts";

const waiting = new Set<HTMLElement>();
let loading: Promise<FormulaDrawer> | undefined;

/** A formula, as it was written until it is drawn. */
export function formula(tex: string, source: string, isDisplay: boolean): HTMLElement {
  const element = el("span", isDisplay ? "math is-display" : "math", {}, [source]);
  element.dataset.tex = tex;
  return element;
}

/** Draws the formulas below `root` when they are seen and the page is idle. */
export function drawFormulasLater(root: Element): void {
  const found = root.matches(".math") ? [root] : root.querySelectorAll(".math");
  for (const element of found) {
    if (element instanceof HTMLElement) whenSeen(element, () => drawSoon(element));
  }
}

function drawSoon(element: HTMLElement): void {
  waiting.add(element);
  if (waiting.size > 1) return;
  drawer().then(
    (own) => requestIdleCallback((deadline) => work(own, deadline), { timeout: 500 }),
    (error: unknown) => {
      for (const left of waiting) showFault(left, String(error));
      waiting.clear();
    },
  );
}

function work(own: FormulaDrawer, deadline: IdleDeadline): void {
  for (const element of waiting) {
    waiting.delete(element);
    whenUnselected(element, () => draw(own, element));
    if (deadline.timeRemaining() < 1 && waiting.size > 0) {
      requestIdleCallback((next) => work(own, next), { timeout: 500 });
      return;
    }
  }
}

function draw(own: FormulaDrawer, element: HTMLElement): void {
  const isDisplay = element.classList.contains("is-display");
  const drawn = own.draw(element.dataset.tex ?? "", isDisplay);
  if (!drawn.ok) {
    showFault(element, drawn.why);
    return;
  }
  element.replaceChildren(drawn.result);
  element.classList.add("is-drawn");
  if (!isDisplay && element.scrollWidth <= element.clientWidth) return;
  // A formula that is too wide can be scrolled, also with the keyboard.
  element.classList.add("is-wide");
  element.tabIndex = 0;
  element.setAttribute("role", "group");
  element.setAttribute("aria-label", t("Formula"));
}

function showFault(element: HTMLElement, why: string): void {
  const note = t("Can't render this formula: {0}", wordFault(why));
  element.classList.add("is-failed");
  element.append(" ", el("span", "codicon codicon-warning", { role: "img", "aria-label": note, title: note }));
}

function drawer(): Promise<FormulaDrawer> {
  loading ??= load();
  return loading;
}

async function load(): Promise<FormulaDrawer> {
  try {
    await loadScript("math.js");
  } catch (error) {
    // The next formula tries again.
    loading = undefined;
    throw error;
  }
  if (window.tillerFormulas === undefined) throw new Error(t("Couldn't run the script {0}.", "math.js"));
  return window.tillerFormulas;
}
