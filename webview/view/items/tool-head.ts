import { t } from "../../l10n.ts";
import type { ToolItem, ToolState } from "../../protocol/items.ts";
import { callWords, wordCall, wordState } from "../../protocol/tool-words.ts";
import { createSpinner, icon } from "../common/controls.ts";
import { duration, el, setText } from "../common/dom.ts";
import { plainIconButton } from "../common/plain-buttons.ts";
import { toolIcon } from "./tool-icon.ts";

/** The line of a tool call, and the button beside it that stops it. */
export interface ToolHead {
  readonly element: HTMLButtonElement;
  show(item: ToolItem, isOpen: boolean): void;
}

/** Makes the line; it must stand somewhere before it is shown. */
export function createToolHead(id: string, onStop: () => void): ToolHead {
  const parts = head(id);
  let stop: HTMLElement | undefined;
  function showStop(canStop: boolean): void {
    if (!canStop) {
      stop?.remove();
      stop = undefined;
    } else if (stop === undefined) {
      stop = plainIconButton({ label: t("Stop"), icon: "debug-stop", onClick: onStop });
      stop.classList.add("tool-stop");
      parts.header.after(stop);
    }
  }
  return {
    element: parts.header,
    show(item, isOpen) {
      showHead(parts, item);
      parts.header.setAttribute("aria-expanded", String(isOpen));
      showStop(item.canStop === true && item.state === "running");
    },
  };
}

/** The mark of a state; a call that went well has none. */
const STATE_ICONS: Partial<Record<ToolState, string>> = {
  queued: "circle-small",
  waiting: "bell",
  failed: "error",
  denied: "circle-slash",
  cancelled: "circle-slash",
};

interface Head {
  header: HTMLButtonElement;
  toolIcon: HTMLElement;
  name: HTMLElement;
  intent: HTMLElement;
  rest: HTMLElement;
  note: HTMLElement;
  state: HTMLElement;
  time: HTMLElement;
  changes: HTMLElement;
  exit: HTMLElement;
}

function head(id: string): Head {
  const toolIcon = icon("tools");
  const name = el("span", "tool-name");
  const intent = el("span", "tool-intent");
  const rest = el("span", "tool-rest");
  const note = el("span", "tool-note");
  const state = el("span", "tool-state");
  const time = el("span", "tool-time");
  const changes = el("span", "tool-changes");
  const exit = el("span", "tool-exit");
  const header = el("button", "tool-head", { type: "button", "aria-controls": `tool-${id}` }, [
    toolIcon,
    name,
    " ",
    el("span", "tool-object", {}, [intent, " ", rest]),
    " ",
    changes,
    exit,
    note,
    " ",
    time,
    " ",
    state,
  ]);
  return { header, toolIcon, name, intent, rest, note, state, time, changes, exit };
}

function showHead(parts: Head, item: ToolItem): void {
  parts.toolIcon.className = `codicon codicon-${toolIcon(item.toolName)}`;
  const [, added, removed] = / \+(\d+) −(\d+)$/.exec(item.intent) ?? [];
  const intent = added === undefined ? item.intent : item.intent.slice(0, item.intent.lastIndexOf(" +"));
  const [before, object, after] = callWords({ ...item, intent });
  setText(parts.name, before);
  const isEllipsis = after.startsWith("…");
  setText(parts.intent, isEllipsis ? `${object}${after}` : object);
  setText(parts.rest, isEllipsis ? "" : after);
  setText(parts.note, item.note ?? "");
  if (added === undefined) parts.changes.replaceChildren();
  else if (parts.changes.textContent !== `+${added} −${removed}`) {
    parts.changes.replaceChildren(
      el("span", "count-added", {}, [`+${added}`]),
      " ",
      el("span", "count-removed", {}, [`−${removed}`]),
    );
  }
  setText(parts.exit, item.exitCode === undefined ? "" : `· ${t("exit {0}", item.exitCode)}`);
  parts.header.title = wordCall(item);
  setText(parts.time, item.durationMs === undefined ? "" : duration(item.durationMs));
  if (parts.state.dataset.state === item.state) return;
  parts.state.dataset.state = item.state;
  const mark = STATE_ICONS[item.state];
  const isAtWork = item.state === "preparing" || item.state === "running";
  parts.state.replaceChildren(
    ...(isAtWork ? [createSpinner()] : mark === undefined ? [] : [icon(mark)]),
    el("span", "visually-hidden", {}, [wordState(item.state)]),
  );
}
