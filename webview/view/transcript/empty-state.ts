import { t } from "../../l10n.ts";
import type { AgentStatus, PanelUi } from "../../protocol/ui.ts";
import { icon } from "../common/controls.ts";
import { el } from "../common/dom.ts";
import type { ViewContext } from "../common/item-view.ts";
import { commandButton } from "../items/rows.ts";

function exampleTexts(): string[] {
  return [
    t("Explain how this project works and where to start reading."),
    t("Find the failing test and fix it."),
    t("Add a test for this function: "),
  ];
}

/** Keys, and what they do. */
function keyTexts(sendOnEnter: boolean): [string, string][] {
  return [
    [sendOnEnter ? t("Enter") : t("Ctrl+Enter"), t("Send message")],
    [sendOnEnter ? t("Shift+Enter") : t("Enter"), t("New line")],
    ["@", t("Add files and context")],
    ["/", t("Show commands")],
    ["Alt+A", t("Go to a pending question")],
    ["F6", t("Go to the next section")],
    [t("Shift"), t("Hold to drop files and problems here")],
  ];
}

interface Obstacle {
  icon: string;
  title: string;
  text: string;
  action?: { label: string; command: string };
}

function obstacleOf(status: AgentStatus): Obstacle | undefined {
  if (status === "untrusted") {
    return {
      icon: "shield",
      title: t("This workspace isn't trusted"),
      text: t(
        "Tiller runs commands and changes files, so the agent starts only in a trusted workspace. You can still read your chats.",
      ),
      action: { label: t("Manage Workspace Trust"), command: "tiller.manageTrust" },
    };
  }
  if (status !== "noFolder") return undefined;
  return {
    icon: "folder-opened",
    title: t("No folder is open"),
    text: t("Tiller works with the files in a folder. Open one to get started."),
    action: { label: t("Open Folder"), command: "tiller.openFolder" },
  };
}

function setupFace(kind: NonNullable<PanelUi["setup"]>["kind"]): Pick<Obstacle, "icon" | "title"> {
  return {
    noKey: { icon: "key", title: t("No model yet") },
    noModel: { icon: "key", title: t("No model available") },
    noAgent: { icon: "error", title: t("Couldn't start the agent") },
  }[kind];
}

/** The content of an empty chat: an introduction, or what Tiller needs before it can be used. */
export interface EmptyState {
  readonly element: HTMLElement;
  /** @returns whether something is missing. */
  show(ui: Pick<PanelUi, "status" | "setup" | "sendOnEnter">): boolean;
}

/** @param fillComposer puts an example into the composer. */
export function createEmptyState(context: ViewContext, fillComposer: (text: string) => void): EmptyState {
  const element = el("div", "empty");
  let shown: string | undefined;
  return {
    element,
    show({ status, setup, sendOnEnter }) {
      const next = obstacleOf(status) ?? (setup && { ...setup, ...setupFace(setup.kind) });
      const key = JSON.stringify(next ?? sendOnEnter);
      if (key !== shown) {
        shown = key;
        element.replaceChildren(...(next === undefined ? welcome(fillComposer, sendOnEnter) : obstacle(next, context)));
      }
      return next !== undefined;
    },
  };
}

function welcome(fillComposer: (text: string) => void, sendOnEnter: boolean): Node[] {
  const examples = exampleTexts().map((text) => {
    const button = el("button", "example", { type: "button" }, [
      icon("comment-discussion"),
      el("span", "", {}, [text.trim()]),
    ]);
    button.addEventListener("click", () => fillComposer(text));
    return button;
  });
  const keys = keyTexts(sendOnEnter).flatMap(([key, meaning]) => [
    el("dt", "", {}, [el("kbd", "", {}, [key])]),
    el("dd", "", {}, [meaning]),
  ]);
  return [
    el("div", "empty-mark", {}, [icon("sparkle")]),
    el("h2", "empty-title", {}, ["Tiller"]),
    el("p", "empty-text", {}, [
      t(
        "A coding agent that reads, runs, and edits the code in this folder. You see every step, and it asks before changing anything unless you allow more.",
      ),
    ]),
    el("div", "examples", {}, examples),
    el("dl", "keys", {}, keys),
  ];
}

function obstacle(what: Obstacle, context: ViewContext): Node[] {
  const nodes: Node[] = [
    el("div", "empty-mark", {}, [icon(what.icon)]),
    el("h2", "empty-title", {}, [what.title]),
    el("p", "empty-text", {}, [what.text]),
  ];
  const button = what.action && commandButton(what.action, context, "primary");
  if (button) nodes.push(el("div", "empty-action", {}, [button]));
  return nodes;
}
