import * as vscode from "vscode";
import { t } from "../../../webview/l10n.ts";
import type { Proposals } from "../../host/proposals/proposals.ts";
import type { Chats } from "../../window/chats.ts";

/** Answers the question of a diff, by default of the one in the active editor. */
export function answerProposal(answer: "once" | "deny", uri: unknown, proposals: Proposals, { hub }: Chats): void {
  const id = proposals.questionOf(uri instanceof vscode.Uri ? uri : undefined);
  const asked = hub.pending.find(({ request }) => request.id === id);
  if (asked?.request.method === "select") {
    const value = asked.request.approval?.[answer];
    if (value !== undefined && asked.chat.questions.answer(asked.request.id, { type: "value", value })) return;
  }
  throw new Error(t("This change is no longer waiting for approval."));
}
