import * as vscode from "vscode";
import { t } from "../../webview/l10n.ts";
import type { Chats } from "../chats/chats.ts";
import { readApproval } from "../transcript/approval.ts";
import type { Proposals } from "./proposals.ts";

/** Answers the question that a comparison belongs to, by default the one in the active editor. */
export function answerProposal(answer: "once" | "deny", uri: unknown, proposals: Proposals, { hub }: Chats): void {
  const id = proposals.questionOf(uri instanceof vscode.Uri ? uri : undefined);
  for (const chat of hub.chats) {
    const request = chat.questions.pending.find((question) => question.request.id === id)?.request;
    const approval = request?.method === "select" ? readApproval(request.title, request.options) : undefined;
    if (id === undefined || approval === undefined) continue;
    chat.questions.answer(id, { type: "value", value: approval[answer] });
    return;
  }
  throw new Error(t("Nobody waits for an answer about this change any more."));
}
