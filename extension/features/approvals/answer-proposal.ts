import * as vscode from "vscode";
import { t } from "../../../webview/l10n.ts";
import { readApproval } from "../../core/transcript/approval.ts";
import type { Proposals } from "../../host/proposals/proposals.ts";
import type { Chats } from "../../window/chats.ts";

/** Answers the question that a comparison belongs to, by default the one in the active editor. */
export function answerProposal(answer: "once" | "deny", uri: unknown, proposals: Proposals, { hub }: Chats): void {
  const id = proposals.questionOf(uri instanceof vscode.Uri ? uri : undefined);
  const asked = hub.pending.find(({ request }) => request.id === id);
  if (asked?.request.method === "select") {
    const approval = readApproval(asked.request.title, asked.request.options);
    const value = approval?.[answer];
    if (value !== undefined && asked.chat.questions.answer(asked.request.id, { type: "value", value })) return;
  }
  throw new Error(t("Nobody waits for an answer about this change any more."));
}
