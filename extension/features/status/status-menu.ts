import * as vscode from "vscode";
import type { Chat } from "../../chat/chat.ts";
import type { Chats } from "../../window/chats.ts";
import { type MenuAction, menuEntries } from "./menu-entries.ts";
import type { StatusFacts } from "./status-face.ts";

interface Gathered {
  readonly facts: StatusFacts;
  readonly questions: readonly { readonly chat: Chat; readonly id: string }[];
  readonly others: readonly Chat[];
}

/** Returns the present data for the status bar and its menu. */
export function statusFacts(chats: Chats): StatusFacts {
  return gather(chats).facts;
}

/** Lets the user choose among the actions that are possible now. */
export async function showStatusMenu(chats: Chats): Promise<void> {
  const gathered = gather(chats);
  const separator = { label: "", kind: vscode.QuickPickItemKind.Separator };
  const groups = menuEntries(gathered.facts).map((entries) =>
    entries.map(({ icon, label, description, action }) => ({
      iconPath: new vscode.ThemeIcon(icon),
      // Titles are untrusted, and must not show icons.
      label: label.replaceAll("$(", "$ ("),
      description: description.replaceAll("$(", "$ ("),
      action,
    })),
  );
  const items: (vscode.QuickPickItem & { readonly action?: MenuAction })[] = groups.flatMap((group, at) =>
    at === 0 ? group : [separator, ...group],
  );
  const chosen = await vscode.window.showQuickPick(items, { title: "Tiller", matchOnDescription: true });
  if (chosen?.action !== undefined) await act(chosen.action, gathered, chats);
}

async function act(action: MenuAction, { questions, others }: Gathered, chats: Chats): Promise<void> {
  switch (action.type) {
    case "answer": {
      const question = questions[action.waiting];
      // It may have been answered elsewhere meanwhile: then there is nothing to show.
      question?.chat.questions.show(question.id);
      return;
    }
    case "showChat": {
      const other = others[action.other];
      if (other !== undefined) await chats.reveal(other);
      return;
    }
    case "command":
      await vscode.commands.executeCommand(action.command);
      return;
  }
}

function gather(chats: Chats): Gathered {
  const { focused, hub } = chats;
  const others = hub.chats.filter((chat) => chat !== focused);
  const pending = [focused, ...others].flatMap((chat) =>
    chat.questions.pending.map(({ request }) => ({ chat, id: request.id, title: request.title })),
  );
  const facts: StatusFacts = {
    ui: focused.transcript.ui,
    title: chats.titleOf(focused),
    waiting: pending.map(({ chat, title }) => ({ chatTitle: chats.titleOf(chat), title })),
    others: others.map((chat) => ({ title: chats.titleOf(chat), state: hub.statusOf(chat) })),
  };
  return { facts, questions: pending, others };
}
