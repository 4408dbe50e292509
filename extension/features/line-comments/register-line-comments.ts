import * as vscode from "vscode";
import { errorMessage } from "../../../agent/protocol/errors.ts";
import type { ChangeTracker } from "../../host/changes/change-tracker.ts";
import type { Chats } from "../../window/chats.ts";
import { LineComments } from "./line-comments.ts";

/** Registers the comments on lines, with their commands. */
export function registerLineComments(changes: ChangeTracker, chats: Chats): vscode.Disposable[] {
  const comments = new LineComments(changes, chats);
  const register = <Argument>(id: string, run: (argument: Argument) => void | Promise<void>) =>
    vscode.commands.registerCommand(id, async (argument: Argument) => {
      try {
        await run(argument);
      } catch (error) {
        void vscode.window.showErrorMessage(errorMessage(error));
      }
    });
  return [
    comments,
    register("tiller.commentOnLine", () => comments.begin()),
    register("tiller.addLineComment", (reply: vscode.CommentReply) => comments.add(reply)),
    register("tiller.sendLineComment", (reply: vscode.CommentReply) => comments.addAndSend(reply)),
    register("tiller.removeLineComment", (thread: vscode.CommentThread) => comments.remove(thread)),
    register("tiller.sendLineComments", () => comments.send()),
    register("tiller.discardLineComments", () => comments.discard()),
  ];
}
