import { createButton, createTextBox, type TextBox } from "../controls.ts";
import type { Host } from "../host.ts";
import type { AgentStatus, PanelCommand, PanelUi } from "../protocol.ts";
import { el, isComposing } from "./dom.ts";
import type { ViewContext } from "./item-view.ts";
import { createSlashList } from "./slash-list.ts";

/** The draft is handed to the host at most this long after a key. */
const DRAFT_DELAY_MS = 100;

/** Where the user writes. */
export interface Composer {
  readonly element: HTMLElement;
  /** The row below the text, for what belongs to the next message. */
  readonly tools: HTMLElement;
  show(ui: PanelUi): void;
  focus(): void;
  hasFocus(): boolean;
  setDraft(text: string, mode: "replace" | "append"): void;
  setCommands(commands: readonly PanelCommand[]): void;
  /** Whether something was typed since the page loaded. */
  isTouched(): boolean;
  /** Hands the draft to the host at once. */
  flushDraft(): void;
  stop(): void;
}

const PLACEHOLDERS: Record<AgentStatus, string> = {
  untrusted: "Trust this workspace to begin",
  noFolder: "Open a folder to begin",
  stopped: "Ask Tiller to do something",
  starting: "Ask Tiller to do something",
  idle: "Ask Tiller to do something",
  running: "Add to the running work",
  stopping: "Add to the running work",
  crashed: "Restart the agent to go on",
};

/** Makes the composer inside `parent`, with the draft that the page kept. */
export function createComposer(parent: HTMLElement, { host, say }: ViewContext, onSent: () => void): Composer {
  const holder = el("div", "composer-text");
  const tools = el("div", "composer-tools");
  const element = el("div", "composer", {}, [holder, tools]);
  parent.append(element);
  const box = createTextBox({
    label: "Message",
    placeholder: "",
    value: host.kept().draft.text,
    parent: holder,
    maxHeight: "40vh",
  });
  const draft = keepDraft(box, host);
  let ui: PanelUi | undefined;
  let isTouched = false;
  const slash = createSlashList({ box, host, say: (text) => say(text, "polite"), onChanged });
  element.prepend(slash.element);

  const isBusy = () => ui?.status === "running" || ui?.status === "stopping";
  function send(isOther: boolean): void {
    const text = box.read();
    if (text.trim() === "" || !ui || ui.status === "untrusted" || ui.status === "noFolder" || ui.status === "crashed")
      return;
    const other = ui.whileRunning === "steer" ? "followUp" : "steer";
    host.post({ type: "send", text, whileRunning: isOther ? other : ui.whileRunning });
    box.write("");
    draft.flush();
    showButtons();
    slash.refresh();
    onSent();
  }
  function stop(): void {
    if (ui?.status === "running") host.post({ type: "stop" });
  }
  const sendButton = createButton({ label: "Send", icon: "send", look: "icon", onClick: () => send(false) });
  const stopButton = createButton({ label: "Stop", icon: "debug-stop", look: "icon", onClick: stop });
  const stopping = el("span", "stopping", {}, ["Stopping…"]);
  const buttons = el("div", "composer-buttons", {}, [stopping, stopButton.element, sendButton.element]);
  tools.append(buttons);

  function showButtons(): void {
    const isStopping = ui?.status === "stopping";
    stopping.hidden = !isStopping;
    stopButton.element.hidden = ui?.status !== "running";
    sendButton.element.hidden = isBusy() && box.read().trim() === "";
    sendButton.setDisabled(box.read().trim() === "");
  }
  function onChanged(): void {
    isTouched = true;
    showButtons();
    draft.flush();
  }
  box.element.addEventListener("input", () => {
    isTouched = true;
    showButtons();
  });
  box.element.addEventListener("keydown", (event) => {
    if (isComposing(event)) return;
    if (slash.takeKey(event)) return;
    if (event.key === "Escape" && isBusy()) {
      event.preventDefault();
      stop();
    }
    if (event.key !== "Enter" || event.shiftKey) return;
    const isModified = event.ctrlKey || event.metaKey;
    if (ui && !ui.sendOnEnter && !isModified && !event.altKey) return;
    event.preventDefault();
    send(event.altKey && isBusy());
  });
  return {
    element,
    tools,
    stop,
    show(next) {
      ui = next;
      box.setPlaceholder(PLACEHOLDERS[next.status]);
      showButtons();
    },
    focus: box.focus,
    hasFocus: box.hasFocus,
    setDraft(text, mode) {
      const before = box.read();
      box.write(mode === "replace" || before === "" ? text : `${before}${before.endsWith("\n") ? "" : "\n"}${text}`);
      draft.flush();
      showButtons();
      slash.refresh();
    },
    setCommands: slash.setCommands,
    isTouched: () => isTouched,
    flushDraft: draft.flush,
  };
}

/** Hands the draft on soon after typing, and at once when the user looks away. */
function keepDraft(box: TextBox, host: Host): { flush(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let posted = box.read();
  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    const text = box.read();
    if (text === posted) return;
    posted = text;
    host.keep({ draft: { text, at: Date.now() } });
    host.post({ type: "draft", text });
  }
  box.element.addEventListener("input", () => {
    timer ??= setTimeout(flush, DRAFT_DELAY_MS);
  });
  box.element.addEventListener("focusout", flush);
  window.addEventListener("blur", flush);
  window.addEventListener("pagehide", flush);
  document.addEventListener("visibilitychange", flush);
  return { flush };
}
