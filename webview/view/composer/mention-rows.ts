import { t } from "../../l10n.ts";
import type { PanelMention } from "../../protocol/to-panel.ts";
import { contextIcon, RESOURCE_ICON } from "../common/context-face.ts";
import { icon, type TextBox } from "../common/controls.ts";
import { el } from "../common/dom.ts";
import { createOptionList, type OptionList } from "./option-list.ts";

/** The lines of the list of mentions. */
export interface MentionRows extends Pick<OptionList, "element" | "close" | "takeKey"> {
  show(matches: readonly PanelMention[]): void;
}

interface MentionRowsOptions {
  /** A line has been chosen. */
  pick(index: number): void;
  /** The user does not want the list. */
  dismiss(): void;
}

/** Makes the lines for a text box, which keeps the keyboard. */
export function createMentionRows(box: TextBox, { pick, dismiss }: MentionRowsOptions): MentionRows {
  const list = createOptionList(box, {
    id: "mention-list",
    className: "slash-list mention-list",
    label: t("Files and context"),
    followsMouse: false,
    pick,
    dismiss,
    isEnterForText: () => false,
  });
  let labels: readonly string[] = [];
  return {
    ...list,
    show(matches) {
      // More may come while somebody goes through the list: the line that was chosen stays so.
      const chosen = list.active() > 0 ? labels[list.active()] : undefined;
      labels = matches.map(({ label }) => label);
      list.show(matches.map(rowView));
      const kept = chosen === undefined ? 0 : labels.indexOf(chosen);
      if (kept > 0) list.setActive(kept);
    },
  };
}

function rowView(match: PanelMention, index: number): HTMLElement {
  const { label, detail } = match;
  const isContext = match.word !== undefined || match.isResource === true || label.endsWith(":");
  const kind = isContext ? "slash-option is-context" : "slash-option";
  const attributes = {
    role: "option",
    id: `mention-option-${index}`,
    "aria-label": `${label} ${detail}`.trim(),
    "aria-selected": "false",
    title: label,
  };
  // The slash at the end of a folder belongs to its name.
  const nameStart = isContext ? 0 : label.lastIndexOf("/", label.length - 2) + 1;
  return el("div", kind, attributes, [
    icon(iconOf(match)),
    el("span", "slash-name", {}, [
      ...(nameStart > 0 ? [el("span", "mention-folder", {}, [label.slice(0, nameStart)])] : []),
      el("span", "mention-name", {}, [label.slice(nameStart)]),
    ]),
    el("span", "slash-description", {}, [` ${detail}`]),
  ]);
}

function iconOf({ word, isResource, attachment, isFolder, label }: PanelMention): string {
  if (word !== undefined) return contextIcon({ source: { kind: word } });
  if (isResource === true) return RESOURCE_ICON;
  if (attachment !== undefined) return contextIcon(attachment);
  if (label.endsWith(":")) return "symbol-method";
  return isFolder ? "folder" : "file";
}
