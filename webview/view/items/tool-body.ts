import { t } from "../../l10n.ts";
import type { ToolItem } from "../../protocol/items.ts";
import { terminalOutput } from "../code/ansi.ts";
import { codeRegion, diffRegion, region } from "../code/code-region.ts";
import { linkFilesLater } from "../code/file-links.ts";
import { el } from "../common/dom.ts";
import type { ViewContext } from "../common/item-view.ts";
import { morphNodes } from "../common/morph.ts";
import { plainButton } from "../common/plain-buttons.ts";
import { imageFrame } from "./image.ts";

/** So much of the output of a failure is shown before it is opened. */
const BRIEF_LINES = 6;

/** The content of an expanded card: the input and the result. */
export interface ToolBody {
  readonly element: HTMLElement;
  /** @param isBrief only the end of the output. */
  show(item: ToolItem, isBrief: boolean): void;
}

/** Makes it for one call, with nothing in it. */
export function createToolBody(id: string, context: ViewContext): ToolBody {
  const element = el("div", "tool-body", { id: `tool-${id}` });
  let drawn: { readonly item: ToolItem; readonly isBrief: boolean } | undefined;
  return {
    element,
    show(item, isBrief) {
      if (drawn?.item === item && drawn.isBrief === isBrief) return;
      const output = element.querySelector(".tool-output");
      const isAtEnd = !output || output.scrollHeight - output.scrollTop - output.clientHeight < 8;
      const next = sections(isBrief ? brief(item) : item, context);
      // Output that grows keeps what is selected in it. The buttons are those of one path.
      const before = drawn?.isBrief === isBrief ? drawn.item : undefined;
      const isSamePlace = before?.path === item.path && before?.address === item.address;
      if (isSamePlace && element.firstChild !== null) morphNodes([...element.childNodes], next);
      else element.replaceChildren(...next);
      drawn = { item, isBrief };
      const grown = element.querySelector(".tool-output");
      if (grown && isAtEnd) grown.scrollTop = grown.scrollHeight;
    },
  };
}

function sections(item: ToolItem, context: ViewContext): ChildNode[] {
  const nodes: ChildNode[] = [el("div", "tool-label tool-raw", {}, [item.toolName])];
  if (item.diff !== undefined) nodes.push(diffRegion(item.diff, item.words, item.path));
  else if (item.input !== "") nodes.push(section(t("Input"), inputView(item)));
  if (item.output !== "" && (item.diff === undefined || item.state === "failed")) {
    const label = item.isOutputCut ? t("Output (last part)") : t("Output");
    const output = region("tool-output", label, terminalOutput(item.output));
    if (item.state === "done" || item.state === "failed") linkFilesLater(output);
    nodes.push(section(label, output));
  }
  if (item.images.length > 0)
    nodes.push(
      el(
        "div",
        "images",
        {},
        item.images.map((image, index) => imageFrame(image, { host: context.host, id: item.id, index })),
      ),
    );
  nodes.push(actions(item, context));
  return nodes;
}

/** The end of a failure, shown on a collapsed card. */
function brief(item: ToolItem): ToolItem {
  const lines = item.output.trimEnd().split("\n");
  const output = lines.slice(-BRIEF_LINES).join("\n");
  return { ...item, input: "", output, isOutputCut: item.isOutputCut || lines.length > BRIEF_LINES };
}

/** The rest. */
export function withheld(item: ToolItem): string {
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
    label: t("Show Full Output"),
    onClick: () => context.host.post({ type: "openTool", id: item.id }),
  });
  whole.title = t("Open the full input and output in an editor");
  row.append(whole);
  return row;
}
