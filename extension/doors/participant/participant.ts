import * as vscode from "vscode";
import { t } from "../../../webview/l10n.ts";
import type { Chats } from "../../window/chats.ts";
import { answerNatively } from "./answer-natively.ts";
import { type NativeReference, nativePrompt } from "./native-prompt.ts";
import type { NativeStream } from "./native-reply.ts";
import { NativeMemory, sessionOfNativeChat } from "./native-session.ts";

/** The id in `package.json`. */
const PARTICIPANT_ID = "tiller.agent";

/** Answers a request of VS Code's own chat in the session that belongs to that chat. */
export async function handleNativeRequest(
  request: vscode.ChatRequest,
  context: vscode.ChatContext,
  stream: vscode.ChatResponseStream,
  token: vscode.CancellationToken,
  chats: Chats,
): Promise<vscode.ChatResult> {
  const { command } = request;
  const references = request.references.flatMap(({ id, value }) => referenceOf(id, value));
  const prompt = nativePrompt({ text: request.prompt, command, references });
  if (prompt === "") {
    stream.markdown(t("Tell Tiller what to do."));
    return {};
  }
  const controller = new AbortController();
  const cancelled = token.onCancellationRequested(() => controller.abort(new vscode.CancellationError()));
  if (token.isCancellationRequested) controller.abort(new vscode.CancellationError());
  try {
    const chat = await sessionOfNativeChat(answersOf(context), {
      open: (session) => chats.hub.open(session),
      openNew: () => chats.hub.openNew(),
      isShown: (open) => chats.pagesOf(open).length > 0,
    });
    const question = { prompt, command, cwd: chat.session.folder, signal: controller.signal };
    const { metadata, error } = await chats.hub.hold(chat, () => answerNatively(chat, question, faceOf(stream)));
    return { metadata, ...(error === undefined ? {} : { errorDetails: { message: error } }) };
  } catch (error) {
    return { errorDetails: { message: error instanceof Error ? error.message : String(error) } };
  } finally {
    cancelled.dispose();
  }
}

/** The follow-ups that are offered after an answer. */
export function nativeFollowups({ metadata }: vscode.ChatResult): vscode.ChatFollowup[] {
  const memory = NativeMemory.safeParse(metadata).data?.tiller;
  if (memory === undefined) return [];
  if (memory.command === "review")
    return [{ prompt: t("Fix the issues you found."), label: t("Fix the issues found") }];
  if (memory.hasChanges) return [{ prompt: "", command: "review", label: t("Review the changes") }];
  return [];
}

function answersOf({ history }: vscode.ChatContext): unknown[] {
  return history.flatMap((turn) =>
    turn instanceof vscode.ChatResponseTurn && turn.participant === PARTICIPANT_ID ? [turn.result.metadata] : [],
  );
}

function faceOf(stream: vscode.ChatResponseStream): NativeStream {
  return {
    markdown: (text) => stream.markdown(text),
    progress: (text) => stream.progress(text),
    reference: (path) => stream.reference(vscode.Uri.file(path)),
  };
}

function referenceOf(name: string, value: unknown): NativeReference[] {
  if (value instanceof vscode.Uri) return value.scheme === "file" ? [{ path: value.fsPath }] : [];
  if (value instanceof vscode.Location) {
    if (value.uri.scheme !== "file") return [];
    const { start, end } = value.range;
    return [{ path: value.uri.fsPath, lines: { startLine: start.line + 1, endLine: end.line + 1 } }];
  }
  return typeof value === "string" && value !== "" ? [{ name, text: value }] : [];
}
