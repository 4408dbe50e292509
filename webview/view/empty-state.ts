import { icon } from "../controls.ts";
import type { AgentStatus, PanelUi } from "../protocol/ui.ts";
import { el } from "./dom.ts";
import type { ViewContext } from "./item-view.ts";
import { commandButton } from "./rows.ts";

const EXAMPLES = [
  "Explain how this project is built and where to start reading.",
  "Find the failing test and fix it.",
  "Add a test for the function I describe next: ",
];

const KEYS: [string, string][] = [
  ["Enter", "sends"],
  ["Shift+Enter", "starts a new line"],
  ["Alt+A", "goes to a waiting question"],
  ["F6", "goes on to the next part"],
];

interface Obstacle {
  icon: string;
  title: string;
  text: string;
  action?: { label: string; command: string };
}

const OBSTACLES: Partial<Record<AgentStatus, Obstacle>> = {
  untrusted: {
    icon: "shield",
    title: "This workspace is not trusted",
    text: "Tiller runs commands and changes files, so the agent starts only in a workspace that you trust. You can still read here.",
    action: { label: "Manage Workspace Trust", command: "tiller.manageTrust" },
  },
  noFolder: {
    icon: "folder-opened",
    title: "No folder is open",
    text: "Tiller works on the files of a folder. Open one to begin.",
    action: { label: "Open Folder", command: "tiller.openFolder" },
  },
};

const SETUP_FACES = {
  noKey: { icon: "key", title: "No API key yet" },
  noModel: { icon: "key", title: "No model can be asked" },
  noAgent: { icon: "error", title: "The agent could not be started" },
} as const;

/** What stands where the conversation will be: what Tiller is, or what is missing before it can be used. */
export interface EmptyState {
  readonly element: HTMLElement;
  show(ui: Pick<PanelUi, "status" | "setup">): void;
}

/** @param fillComposer puts an example into the composer. */
export function createEmptyState(context: ViewContext, fillComposer: (text: string) => void): EmptyState {
  const element = el("div", "empty");
  let shown: string | undefined;
  return {
    element,
    show({ status, setup }) {
      const next = OBSTACLES[status] ?? (setup && { ...setup, ...SETUP_FACES[setup.kind] });
      const key = JSON.stringify(next ?? "welcome");
      if (key === shown) return;
      shown = key;
      element.classList.toggle("is-setup", next !== undefined);
      element.replaceChildren(...(next === undefined ? welcome(fillComposer) : obstacle(next, context)));
    },
  };
}

function welcome(fillComposer: (text: string) => void): Node[] {
  const examples = EXAMPLES.map((text) =>
    el("button", "example", { type: "button" }, [icon("comment-discussion"), el("span", "", {}, [text.trim()])]),
  );
  for (const [index, button] of examples.entries()) {
    button.addEventListener("click", () => fillComposer(EXAMPLES[index] ?? ""));
  }
  const keys = KEYS.flatMap(([key, meaning]) => [
    el("dt", "", {}, [el("kbd", "", {}, [key])]),
    el("dd", "", {}, [meaning]),
  ]);
  return [
    el("div", "empty-mark", {}, [icon("sparkle")]),
    el("h2", "empty-title", {}, ["Tiller"]),
    el("p", "empty-text", {}, [
      "A coding agent that reads, runs and changes the code in this folder. You see every step, and it asks before it changes anything unless you allow more.",
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
  const button = what.action && commandButton(what.action, context);
  if (button) nodes.push(el("div", "empty-action", {}, [button]));
  return nodes;
}
