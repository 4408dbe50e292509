import { t } from "../../../webview/l10n.ts";
import { isAtWork } from "../../../webview/protocol/ui.ts";
import type { OtherChat, StatusFacts } from "./status-face.ts";

/** The action of a menu entry: answer a question, show another chat, or run a command. Numbers are 0-based. */
export type MenuAction =
  | { readonly type: "answer"; readonly waiting: number }
  | { readonly type: "showChat"; readonly other: number }
  | { readonly type: "command"; readonly command: string };

/** An entry of the menu; `icon` is a codicon. */
export interface MenuEntry {
  readonly icon: string;
  readonly label: string;
  readonly description: string;
  readonly action: MenuAction;
}

/** Maximum length of a question or title in an entry, in UTF-16 units. */
const MAX_TEXT_CHARS = 80;
/** Maximum number of questions or chats in the menu; the others are in their own lists. */
const MAX_ENTRIES = 6;

/** Returns the actions that are possible now, in groups, the most urgent first. */
export function menuEntries(facts: StatusFacts): MenuEntry[][] {
  const { ui, waiting, others } = facts;
  if (ui.status === "untrusted")
    return [[command("workspace-untrusted", t("Manage Workspace Trust"), "tiller.manageTrust")], about()];
  if (ui.status === "noFolder") return [[command("folder-opened", t("Open Folder"), "tiller.openFolder")], about()];
  const questions = waiting.slice(0, MAX_ENTRIES).map(
    ({ title, chatTitle }, at): MenuEntry => ({
      icon: "bell-dot",
      label: t("Answer: {0}", oneLine(title)),
      description: oneLine(chatTitle),
      action: { type: "answer", waiting: at },
    }),
  );
  const chats = others
    .map((other, at) => ({ other, at }))
    .filter(({ other }) => other.state === "asking" || isAtWork(other.state) || other.state === "done")
    .slice(0, MAX_ENTRIES)
    .map(({ other, at }): MenuEntry => {
      const label = t("Show Chat: {0}", oneLine(other.title));
      return { icon: iconOf(other), label, description: wordState(other), action: { type: "showChat", other: at } };
    });
  const groups = [questions, doNow(facts), chats, settingsOf(facts), about()];
  return groups.filter((group) => group.length > 0);
}

function doNow({ ui }: StatusFacts): MenuEntry[] {
  return [
    ...(ui.status === "running" ? [command("debug-stop", t("Stop"), "tiller.stop")] : []),
    ...(ui.status === "crashed" ? [command("debug-restart", t("Restart Agent"), "tiller.restartAgent")] : []),
    command("comment-discussion", t("Show Chat"), "tiller.focusChat"),
    command("add", t("New Chat"), "tiller.newSession"),
    command("history", t("Search Sessions…"), "tiller.showHistory"),
  ];
}

function settingsOf({ ui }: StatusFacts): MenuEntry[] {
  return [
    command("sparkle", t("Select Model"), "tiller.pickModel", ui.modelLabel),
    ...(ui.hasThinking
      ? [command("lightbulb", t("Select Thinking Level"), "tiller.pickThinkingLevel", ui.thinkingLevel)]
      : []),
    command(ui.mode.icon || "shield", t("Select Permission Mode"), "tiller.pickPermissionMode", ui.mode.label),
  ];
}

function about(): MenuEntry[] {
  return [
    command("output", t("Show Log"), "tiller.showLog"),
    command("gear", t("Open Settings"), "tiller.openSettings"),
    command("book", t("Open Walkthrough"), "tiller.openWalkthrough"),
  ];
}

function command(icon: string, label: string, id: string, description = ""): MenuEntry {
  return { icon, label, description, action: { type: "command", command: id } };
}

function iconOf({ state }: OtherChat): string {
  if (state === "asking") return "bell-dot";
  return isAtWork(state) ? "loading~spin" : "pass-filled";
}

function wordState({ state }: OtherChat): string {
  if (state === "asking") return t("needs your answer");
  return isAtWork(state) ? t("running") : t("done");
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= MAX_TEXT_CHARS ? line : `${line.slice(0, MAX_TEXT_CHARS - 1)}…`;
}
