import * as vscode from "vscode";
import { errorMessage } from "../../../agent/protocol/errors.ts";
import { toolCallIdOf } from "../../core/transcript/transcript-state.ts";
import type { ChangeTracker } from "../../host/changes/change-tracker.ts";
import type { Chats } from "../../window/chats.ts";
import { onItem } from "../sessions/branch-commands.ts";
import { showChangeCounts } from "./changes-strip.ts";
import { ChangesView } from "./changes-view.ts";
import { type Commands, reviewCommands } from "./review-commands.ts";
import { ReviewDocuments } from "./review-documents.ts";
import { ReviewLenses } from "./review-lenses.ts";
import { Reviewer } from "./reviewer.ts";
import { changesOfCall, changesOfTurn, rewindTo, rewindToPicked, undoTurn } from "./rewind-chat.ts";
import { TurnDocuments } from "./turn-documents.ts";

/** Registers everything with which the user reviews the agents' changes. */
export function registerReview(changes: ChangeTracker, chats: Chats): vscode.Disposable[] {
  const reviewer = new Reviewer(changes);
  // Loads what was pending when the last window was closed; later calls tell why it could not be read.
  changes.open().catch(() => undefined);
  const documents = new ReviewDocuments(changes);
  const turnDocuments = new TurnDocuments(changes);
  return [
    documents,
    turnDocuments,
    new ReviewLenses(changes, reviewer),
    new ChangesView(changes, reviewer),
    showChangeCounts(changes, reviewer, chats),
    ...register({ ...reviewCommands(reviewer, documents), ...rewindCommands(chats, changes, turnDocuments) }),
  ];
}

function register(commands: Commands): vscode.Disposable[] {
  return Object.entries(commands).map(([id, run]) =>
    vscode.commands.registerCommand(id, (...args: unknown[]) =>
      run(...args).catch((error: unknown) => void vscode.window.showErrorMessage(errorMessage(error))),
    ),
  );
}

/** Returns the commands for the changes since a message, by id. */
function rewindCommands(chats: Chats, changes: ChangeTracker, documents: TurnDocuments): Commands {
  return {
    "tiller.rewind": (place) =>
      place === undefined
        ? rewindToPicked(chats.focused, changes)
        : onItem(chats, place, (chat, itemId) => rewindTo(chat, itemId, changes)),
    "tiller.showTurnChanges": (place) =>
      onItem(chats, place, async (chat, itemId) => documents.show(await changesOfTurn(chat, itemId, changes))),
    "tiller.showCallChanges": (place) =>
      onItem(chats, place, async (chat, itemId) =>
        documents.show(await changesOfCall(chat, toolCallIdOf(itemId) ?? "", changes)),
      ),
    "tiller.undoTurn": () => undoTurn(chats.focused, changes),
  };
}
