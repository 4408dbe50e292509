import * as vscode from "vscode";
import { errorMessage } from "../../../agent/protocol/errors.ts";
import type { ChangeTracker } from "../../host/changes/change-tracker.ts";
import type { Chats } from "../../window/chats.ts";
import { ChangesView } from "./changes-view.ts";
import { type Commands, reviewCommands } from "./review-commands.ts";
import { ReviewDocuments } from "./review-documents.ts";
import { ReviewLenses } from "./review-lenses.ts";
import { Reviewer } from "./reviewer.ts";
import { rewindCommands } from "./rewind-commands.ts";
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
