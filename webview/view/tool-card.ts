import { createSpinner, icon } from "../controls.ts";
import { t } from "../l10n.ts";
import type { ToolItem, ToolState, TranscriptItem } from "../protocol/items.ts";
import { terminalOutput } from "./ansi.ts";
import { codeRegion, diffRegion, region } from "./code-region.ts";
import { duration, el, setText } from "./dom.ts";
import { linkFilesLater } from "./file-links.ts";
import { type ItemView, keepOpen, keptOpen, type ViewContext } from "./item-view.ts";
import { morphNodes } from "./morph.ts";
import { picture } from "./picture.ts";
import { plainButton, plainIconButton } from "./plain-buttons.ts";
import { toolIcon } from "./tool-icon.ts";

function wordState(state: ToolState): string {
  return {
    preparing: t("preparing"),
    running: t("running"),
    done: t("done"),
    failed: t("failed"),
    cancelled: t("cancelled"),
  }[state];
}

const STATE_ICONS: Partial<Record<ToolState, string>> = { done: "check", failed: "error", cancelled: "circle-slash" };

/** So much of the output of a failure is shown before it is opened. */
const BRIEF_LINES = 6;

/** One tool call: a line that opens onto what was run and what came of it. */
export function toolView(first: ToolItem, context: ViewContext): ItemView {
  let item = first;
  const parts = head(first.id);
  const element = el("article", "item tool", {}, [parts.header]);
  /** Only an open card has one: there may be thousands of closed ones. */
  let body: HTMLElement | undefined;
  let stop: HTMLElement | undefined;
  let drawn: ToolItem | undefined;
  let isRevealed = false;

  function isOpen(): boolean {
    return isRevealed || (keptOpen(context.host, first.id) ?? opensByItself());
  }
  function opensByItself(): boolean {
    const density = context.density();
    if (density !== "normal") return density === "open";
    return item.diff !== undefined || item.state === "failed" || item.canStop === true;
  }
  /** A failure that nobody has opened shows how it ended, and leaves room for what comes after it. */
  function isBrief(): boolean {
    if (item.state !== "failed" || item.canStop === true || context.density() !== "normal") return false;
    return !isRevealed && keptOpen(context.host, first.id) === undefined;
  }
  function show(): void {
    showHead(parts, item);
    if (element.classList.contains("is-brief") !== isBrief()) drawn = undefined;
    element.className = `item tool is-${item.state}${isBrief() ? " is-brief" : ""}`;
    element.setAttribute("aria-label", t("Tiller: {0} {1}, {2}", item.toolName, item.intent, wordState(item.state)));
    parts.header.setAttribute("aria-expanded", String(isOpen()));
    showStop(item.canStop === true && item.state === "running");
    if (!isOpen()) {
      if (body?.contains(document.activeElement)) parts.header.focus({ preventScroll: true });
      body?.remove();
      body = drawn = undefined;
    } else if (drawn !== item) drawBody();
  }
  function showStop(canStop: boolean): void {
    if (!canStop) {
      stop?.remove();
      stop = undefined;
    } else if (stop === undefined) {
      stop = plainIconButton({
        label: t("Stop"),
        icon: "debug-stop",
        onClick: () => context.host.post({ type: "stopShell" }),
      });
      stop.classList.add("tool-stop");
      parts.header.after(stop);
    }
  }
  function drawBody(): void {
    if (body === undefined) {
      body = el("div", "tool-body", { id: `tool-${first.id}` });
      element.append(body);
    }
    const hadFocus = body.contains(document.activeElement);
    const output = body.querySelector(".tool-output");
    const isAtEnd = !output || output.scrollHeight - output.scrollTop - output.clientHeight < 8;
    const next = sections(isBrief() ? brief(item) : item, context);
    // Output that grows keeps what is selected in it. The buttons are those of one path.
    const isSamePlace = drawn?.path === item.path && drawn?.address === item.address;
    if (isSamePlace && body.firstChild !== null) morphNodes([...body.childNodes], next);
    else body.replaceChildren(...next);
    drawn = item;
    const grown = body.querySelector(".tool-output");
    if (grown && isAtEnd) grown.scrollTop = grown.scrollHeight;
    if (hadFocus && !body.contains(document.activeElement)) parts.header.focus({ preventScroll: true });
  }
  function toggle(): void {
    const wasOpen = isOpen();
    isRevealed = false;
    keepOpen(context.host, first.id, !wasOpen);
    show();
  }
  parts.header.addEventListener("click", toggle);
  show();
  return {
    element,
    toggle,
    refold: show,
    hiddenText: () =>
      isOpen() ? (isBrief() ? withheld(item) : "") : [item.diff ?? item.input, item.output].join("\n"),
    reveal() {
      isRevealed = true;
      show();
    },
    append(text) {
      item = { ...item, input: item.input + text };
      if (isOpen()) context.frame.request(show);
    },
    update(next: TranscriptItem) {
      if (next.kind !== "tool") return;
      if (next.state === "failed" && item.state !== "failed")
        context.say(t("Tool {0} failed", next.toolName), "polite");
      item = next;
      context.frame.request(show);
    },
  };
}

interface Head {
  header: HTMLButtonElement;
  toolIcon: HTMLElement;
  name: HTMLElement;
  intent: HTMLElement;
  state: HTMLElement;
  time: HTMLElement;
  changes: HTMLElement;
  exit: HTMLElement;
}

function head(id: string): Head {
  const toolIcon = icon("tools");
  const name = el("span", "tool-name");
  const intent = el("span", "tool-intent");
  const state = el("span", "tool-state");
  const time = el("span", "tool-time");
  const changes = el("span", "tool-changes");
  const exit = el("span", "tool-exit");
  const header = el("button", "tool-head", { type: "button", "aria-controls": `tool-${id}` }, [
    toolIcon,
    name,
    " ",
    intent,
    " ",
    changes,
    exit,
    " ",
    time,
    " ",
    state,
  ]);
  return { header, toolIcon, name, intent, state, time, changes, exit };
}

function showHead(parts: Head, item: ToolItem): void {
  parts.toolIcon.className = `codicon codicon-${toolIcon(item.toolName)}`;
  setText(parts.name, item.toolName);
  const [, added, removed] = / \+(\d+) −(\d+)$/.exec(item.intent) ?? [];
  const intent = added === undefined ? item.intent : item.intent.slice(0, item.intent.lastIndexOf(" +"));
  setText(parts.intent, intent || (item.state === "preparing" ? "…" : ""));
  if (added === undefined) parts.changes.replaceChildren();
  else if (parts.changes.textContent !== `+${added} −${removed}`) {
    parts.changes.replaceChildren(
      el("span", "count-added", {}, [`+${added}`]),
      " ",
      el("span", "count-removed", {}, [`−${removed}`]),
    );
  }
  setText(parts.exit, item.exitCode === undefined ? "" : t("exit {0}", item.exitCode));
  parts.header.title = item.intent;
  setText(parts.time, item.durationMs === undefined ? "" : duration(item.durationMs));
  if (parts.state.dataset.state === item.state) return;
  parts.state.dataset.state = item.state;
  const mark = STATE_ICONS[item.state];
  parts.state.replaceChildren(
    mark === undefined ? createSpinner() : icon(mark),
    el("span", "visually-hidden", {}, [wordState(item.state)]),
  );
}

function sections(item: ToolItem, context: ViewContext): ChildNode[] {
  const nodes: ChildNode[] = [];
  if (item.diff !== undefined) nodes.push(diffRegion(item.diff, item.words));
  else if (item.input !== "") nodes.push(section(t("Input"), inputView(item)));
  if (item.output !== "" && (item.diff === undefined || item.state === "failed")) {
    const label = item.isOutputCut ? t("Output, last part") : t("Output");
    const output = region("tool-output", label, terminalOutput(item.output));
    if (item.state === "done" || item.state === "failed") linkFilesLater(output);
    nodes.push(section(label, output));
  }
  if (item.images.length > 0)
    nodes.push(
      el(
        "div",
        "pictures",
        {},
        item.images.map((image, index) => picture(image, { host: context.host, id: item.id, index })),
      ),
    );
  nodes.push(actions(item, context));
  return nodes;
}

/** What is shown of a failure that nobody has opened: the end of it. */
function brief(item: ToolItem): ToolItem {
  const lines = item.output.trimEnd().split("\n");
  const output = lines.slice(-BRIEF_LINES).join("\n");
  return { ...item, input: "", output, isOutputCut: item.isOutputCut || lines.length > BRIEF_LINES };
}

/** What is not. */
function withheld(item: ToolItem): string {
  const lines = item.output.trimEnd().split("\n");
  return [item.input, ...lines.slice(0, -BRIEF_LINES)].join("\n");
}

function inputView(item: ToolItem): HTMLElement {
  return codeRegion(
    t("Input"),
    item.input,
    item.state === "preparing" && item.inputLanguage !== "diff" ? "" : item.inputLanguage,
  );
}

function section(label: string, content: HTMLElement): HTMLElement {
  return el("div", "tool-section", {}, [el("div", "tool-label", { "aria-hidden": "true" }, [label]), content]);
}

function actions(item: ToolItem, context: ViewContext): HTMLElement {
  const row = el("div", "tool-actions");
  const { path } = item;
  const place = path ?? item.address;
  if (place !== undefined) {
    const open = plainButton({
      label: path === undefined ? t("Open Document") : t("Open File"),
      onClick: () => context.host.post({ type: "openFile", path: place }),
    });
    row.append(open);
  }
  if (path !== undefined && item.diff !== undefined && item.state === "done") {
    const open = plainButton({
      label: t("Open Diff"),
      onClick: () => context.host.post({ type: "openDiff", id: item.id }),
    });
    row.append(open);
  }
  const whole = plainButton({
    label: t("Show Everything"),
    onClick: () => context.host.post({ type: "openTool", id: item.id }),
  });
  whole.title = t("Show the whole input and output in an editor");
  row.append(whole);
  return row;
}
