import * as vscode from "vscode";
import * as z from "zod";
import { t } from "../../../webview/l10n.ts";
import type { TranscriptItem } from "../../../webview/protocol/items.ts";
import type { ToPanel } from "../../../webview/protocol/to-panel.ts";
import type { Chat } from "../../chat/chat.ts";
import { asMarkdown, itemAsMarkdown, turnOf } from "../../core/transcript/as-markdown.ts";
import { readSetting } from "../../editor/settings.ts";
import type { Chats } from "../../window/chats.ts";

const DENSITIES = ["compact", "normal", "open"] as const;
const MAX_LABEL_CHARS = 90;
/** The argument that the page passes from a context menu. */
const MenuArgument = z.object({ itemId: z.string() });

/** A place in a chat page that the keyboard can go to. */
type Place = Extract<ToPanel, { type: "find" | "reveal" | "moveToPart" }>;

/** Returns the commands that search a conversation or copy from it, by id. */
export function conversationCommands(chats: Chats): Record<string, (argument: unknown) => unknown> {
  const post = (chat: Chat, message: Parameters<ReturnType<Chats["pagesOf"]>[number]["post"]>[0]) => {
    for (const page of chats.pagesOf(chat)) page.post(message);
  };
  return {
    "tiller.previousPrompt": () => post(chats.focused, { type: "jump", by: -1 }),
    "tiller.nextPrompt": () => post(chats.focused, { type: "jump", by: 1 }),
    "tiller.nextPart": () => goTo(chats, { type: "moveToPart", by: 1 }),
    "tiller.previousPart": () => goTo(chats, { type: "moveToPart", by: -1 }),
    "tiller.find": () => goTo(chats, { type: "find" }),
    "tiller.copyMessage": (place) => copy(chats, place, (item) => itemAsMarkdown(item)),
    "tiller.copyTurn": (place) => copy(chats, place, (item, items) => asMarkdown(turnOf(items, item.id))),
    "tiller.openAsDocument": async () => {
      const content = asMarkdown(chats.focused.transcript.items());
      const document = await vscode.workspace.openTextDocument({ content, language: "markdown" });
      await vscode.window.showTextDocument(document);
    },
    "tiller.focusLastAnswer": () => {
      const last = chats.focused.transcript.items().findLast(({ kind }) => kind === "text");
      return last === undefined ? undefined : goTo(chats, { type: "reveal", id: last.id });
    },
    "tiller.showOutline": async () => {
      const { focused } = chats;
      const prompts = focused.transcript.items().flatMap((item) => (item.kind === "prompt" ? [item] : []));
      const rows = prompts.map(({ id, text }, index) => ({ label: `${index + 1}. ${oneLine(text)}`, id }));
      const chosen = await vscode.window.showQuickPick(rows.reverse(), { title: t("Go to Message") });
      if (chosen !== undefined) await goTo(chats, { type: "reveal", id: chosen.id });
    },
    "tiller.toggleDensity": async () => {
      const next = DENSITIES[(DENSITIES.indexOf(readSetting("density")) + 1) % DENSITIES.length];
      await vscode.workspace.getConfiguration("tiller").update("density", next, vscode.ConfigurationTarget.Global);
    },
  };
}

/** Goes to a place in the chat that has the keyboard focus; without one, brings a chat to the front and focuses it. */
async function goTo(chats: Chats, place: Place): Promise<void> {
  const page = chats.keyboard.page ?? (await chats.reveal(chats.focused));
  page.post(place);
}

/** Copies from the item of a context menu, or else from the last answer. */
async function copy(
  chats: Chats,
  place: unknown,
  text: (item: TranscriptItem, items: readonly TranscriptItem[]) => string,
): Promise<void> {
  const id = MenuArgument.safeParse(place).data?.itemId;
  for (const chat of [chats.focused, ...chats.hub.chats]) {
    const items = chat.transcript.items();
    const item = id === undefined ? items.findLast(({ kind }) => kind === "text") : items.find((one) => one.id === id);
    if (item !== undefined) return vscode.env.clipboard.writeText(text(item, items));
    if (id === undefined) break;
  }
  void vscode.window.showInformationMessage(t("There's nothing to copy yet."));
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim() || t("(image)");
  return line.length <= MAX_LABEL_CHARS ? line : `${line.slice(0, MAX_LABEL_CHARS - 1)}…`;
}
