import type { Host } from "../../host.ts";
import { t } from "../../l10n.ts";
import type { ContextParts } from "../../protocol/to-panel.ts";
import type { PanelUi, Widget } from "../../protocol/ui.ts";
import { createButton, icon } from "../common/controls.ts";
import { el, setText } from "../common/dom.ts";
import type { ViewContext } from "../common/item-view.ts";
import { createBackgroundLine } from "./background-line.ts";
import { createBanner } from "./banner.ts";
import { createCacheLine } from "./cache-line.ts";
import { createChangesStrip } from "./changes-strip.ts";
import { createContextMeter } from "./context-meter.ts";
import { createFollowButton } from "./follow-agent.ts";
import { createLineComments } from "./line-comments.ts";
import { createPlan } from "./plan.ts";
import { createProposedPlan } from "./proposed-plan.ts";
import { createQueueList } from "./queue-list.ts";

/** The area around the composer. */
export interface Dock {
  readonly above: HTMLElement;
  readonly below: HTMLElement;
  /** Buttons for model, thinking level and permission mode. */
  readonly pickers: HTMLElement;
  readonly planHead: HTMLElement;
  /** Fills in the answer to `readContext`. */
  showContextParts(parts: ContextParts): void;
  show(ui: PanelUi): void;
}

export function createDock({ host, say, focusComposer }: ViewContext): Dock {
  const banner = createBanner(host);
  const temporary = temporaryLine(host);
  const background = createBackgroundLine(host);
  const lineComments = createLineComments(host);
  const widgetsAbove = el("div", "widgets");
  const plan = createPlan(host, (text) => say(text, "polite"));
  const proposedPlan = createProposedPlan(host, (text) => say(text, "polite"));
  const queue = createQueueList({ host, say: (text) => say(text, "polite"), focusComposer });
  const changes = createChangesStrip(host);
  const widgetsBelow = el("div", "widgets");
  const statuses = el("span", "status-part status-extra");
  const cache = createCacheLine();
  const meter = createContextMeter({ host, say });
  const model = picker(host, "tiller.pickModel");
  const thinking = picker(host, "tiller.pickThinkingLevel");
  thinking.element.classList.add("picker-thinking");
  const mode = picker(host, "tiller.pickPermissionMode");
  const folder = picker(host, "tiller.pickFolder");
  const follow = createFollowButton(host);
  let shown: PanelUi | undefined;
  return {
    above: el("div", "dock-above", {}, [
      banner.element,
      temporary,
      plan.element,
      proposedPlan.element,
      background.element,
      lineComments.element,
      widgetsAbove,
      changes.element,
      queue.element,
    ]),
    below: el("div", "dock-below", {}, [
      widgetsBelow,
      cache.element,
      el("div", "status-row", {}, [follow.element, folder.element, statuses, meter.element]),
    ]),
    planHead: plan.head,
    showContextParts: meter.showParts,
    pickers: el("div", "pickers", {}, [model.element, thinking.element, mode.element]),
    show(ui) {
      banner.show(ui);
      if (ui.widgets !== shown?.widgets) {
        showWidgets(widgetsAbove, ui.widgets, "above");
        showWidgets(widgetsBelow, ui.widgets, "below");
      }
      if (ui.plan !== shown?.plan) plan.show(ui.plan);
      proposedPlan.show(ui.proposedPlan);
      queue.show(ui);
      background.show(ui.background);
      changes.show(ui.changes);
      lineComments.show(ui.lineComments);
      temporary.hidden = ui.isTemporary !== true;
      model.show(t("Model"), ui.modelLabel || t("Select Model"));
      thinking.element.hidden = !ui.hasThinking;
      thinking.show(t("Thinking"), ui.thinkingLevel, "lightbulb");
      mode.element.hidden = ui.mode.label === "";
      mode.show(t("Permission mode"), ui.mode.label, ui.mode.icon, ui.mode.hint);
      folder.element.hidden = ui.folder === undefined;
      folder.show(t("Folder"), ui.folder ?? "", "folder", t("The folder this chat's agent works in"));
      setText(statuses, ui.statuses.map((status) => status.text).join(" · "));
      follow.show(ui);
      cache.show(ui);
      meter.show(ui);
      shown = ui;
    },
  };
}

type PickerCommand =
  | "tiller.pickModel"
  | "tiller.pickThinkingLevel"
  | "tiller.pickPermissionMode"
  | "tiller.pickFolder";

function picker(host: Host, command: PickerCommand) {
  const mark = icon("");
  const value = el("span", "picker-value");
  const element = el("button", "picker", { type: "button" }, [mark, value]);
  element.addEventListener("click", () => host.post({ type: "command", command }));
  return {
    element,
    show(what: string, text: string, iconName = "", hint = "") {
      setText(value, text);
      mark.hidden = iconName === "";
      mark.className = `codicon codicon-${iconName}`;
      element.setAttribute("aria-label", `${what}: ${text}`);
      element.title = `${what}: ${text}${hint === "" ? "" : `\n${hint}`}`;
    },
  };
}

function showWidgets(parent: HTMLElement, widgets: readonly Widget[], placement: Widget["placement"]): void {
  const own = widgets.filter((widget) => widget.placement === placement);
  parent.hidden = own.length === 0;
  parent.replaceChildren(...own.map((widget) => el("div", "widget", {}, [widget.lines.join("\n")])));
}

/** The banner above the composer of a temporary chat, with a button that saves the chat. */
function temporaryLine(host: Host): HTMLElement {
  const keep = createButton({
    label: t("Save"),
    look: "secondary",
    onClick: () => host.post({ type: "command", command: "tiller.keepSession" }),
  });
  keep.element.title = t("Save this chat as a session");
  const words = el("span", "banner-text", {}, [t("This temporary chat isn't saved.")]);
  return el("div", "banner temporary", {}, [icon("history"), words, keep.element]);
}
