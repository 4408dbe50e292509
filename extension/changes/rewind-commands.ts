import * as vscode from "vscode";
import { errorMessage } from "../../agent/protocol/errors.ts";
import type { Chats } from "../chats/chats.ts";
import { onItem } from "../sessions/branch-commands.ts";
import type { ChangeTracker } from "./change-tracker.ts";
import { changesOfTurn, rewindTo, undoTurn } from "./rewind-chat.ts";
import type { TurnDocuments } from "./turn-documents.ts";

/** Commands about what was changed since a message. */
export function registerRewindCommands(
  chats: Chats,
  changes: ChangeTracker,
  documents: TurnDocuments,
): vscode.Disposable[] {
  const register = (id: string, run: (place: unknown) => Promise<void>) =>
    vscode.commands.registerCommand(id, (place: unknown) =>
      run(place).catch((error: unknown) => void vscode.window.showErrorMessage(errorMessage(error))),
    );
  return [
    register("tiller.rewind", (place) => onItem(chats, place, (chat, itemId) => rewindTo(chat, itemId, changes))),
    register("tiller.showTurnChanges", (place) =>
      onItem(chats, place, async (chat, itemId) => documents.show(await changesOfTurn(chat, itemId, changes))),
    ),
    register("tiller.undoTurn", () => undoTurn(chats.focused, changes)),
  ];
}
