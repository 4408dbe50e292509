import { toolCallIdOf } from "../../core/transcript/transcript-state.ts";
import type { ChangeTracker } from "../../host/changes/change-tracker.ts";
import type { Chats } from "../../window/chats.ts";
import { onItem } from "../sessions/branch-commands.ts";
import type { Commands } from "./review-commands.ts";
import { changesOfCall, changesOfTurn, rewindTo, undoTurn } from "./rewind-chat.ts";
import type { TurnDocuments } from "./turn-documents.ts";

/** Returns the commands for the changes since a message, by id. */
export function rewindCommands(chats: Chats, changes: ChangeTracker, documents: TurnDocuments): Commands {
  return {
    "tiller.rewind": (place) => onItem(chats, place, (chat, itemId) => rewindTo(chat, itemId, changes)),
    "tiller.showTurnChanges": (place) =>
      onItem(chats, place, async (chat, itemId) => documents.show(await changesOfTurn(chat, itemId, changes))),
    "tiller.showCallChanges": (place) =>
      onItem(chats, place, async (chat, itemId) =>
        documents.show(await changesOfCall(chat, toolCallIdOf(itemId) ?? "", changes)),
      ),
    "tiller.undoTurn": () => undoTurn(chats.focused, changes),
  };
}
