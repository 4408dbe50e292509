import * as vscode from "vscode";
import { t } from "../../../webview/l10n.ts";
import type { Chat } from "../../chat/chat.ts";
import { formatMention } from "../../core/mentions/mention-text.ts";
import { readSetting } from "../../editor/settings.ts";
import { addToComposer } from "../../features/composer/add-to-composer.ts";
import type { Mentions } from "../../features/composer/mentions.ts";
import { nameOf } from "../../features/composer/places.ts";
import type { Chats } from "../../window/chats.ts";
import { CodePlace } from "./code-place.ts";

/** Number of lines around a problem that are attached. */
const LINES_AROUND = 10;
/** Maximum length of a chain of problems that is attached as code, in lines; beyond it the agent reads the file. */
const MAX_LINES = 400;

interface ProblemServices {
  readonly chats: Chats;
  readonly mentions: Mentions;
}

/**
 * Adds a question about problems to the composer, with the problems and the lines around them as chips, and shows the chat. It is sent at once
 * only when the user has enabled that and the composer is otherwise empty.
 * @param argument the place; default that of the problem at the cursor.
 */
export async function askAboutProblem(
  task: "fix" | "explain",
  argument: unknown,
  { chats, mentions }: ProblemServices,
): Promise<void> {
  const place = CodePlace.safeParse(argument).data ?? problemAtCursor();
  if (place === undefined) throw new Error(t("There's no problem at the cursor."));
  const { focused } = chats;
  const { uri, startLine, endLine } = place;
  const contexts = [
    { kind: "problems", uri, startLine, endLine },
    { kind: "lines", uri, startLine: Math.max(1, startLine - LINES_AROUND), endLine: lastLine(place) },
  ] as const;
  const isAlone = isComposerEmpty(focused, chats);
  const text = isAlone ? `/${task} ${mentionOf(place)} ` : wordTask(task, place);
  if (task === "fix" && readSetting("sendFixAtOnce") && isAlone) {
    await chats.reveal(focused);
    const chips = await Promise.all(contexts.map((source) => mentions.chip(source, focused)));
    return focused.prompt({ text, delivery: "followUp", contexts: chips });
  }
  await Promise.all([addToComposer(focused, { text, contexts }, { chats, mentions }), chats.reveal(focused)]);
}

/** Words the task as a sentence: a template works only at the start of a message. */
function wordTask(task: "fix" | "explain", code: CodePlace): string {
  const place = mentionOf(code);
  return task === "fix" ? t("Fix the problem at {0}.", place) : t("Explain the problem at {0}.", place);
}

function mentionOf({ uri, startLine, endLine }: CodePlace): string {
  return formatMention({ kind: "path", path: nameOf(vscode.Uri.parse(uri)), lines: { startLine, endLine } });
}

function lastLine({ startLine, endLine }: CodePlace): number {
  return Math.min(endLine, startLine + MAX_LINES) + LINES_AROUND;
}

function isComposerEmpty({ session }: Chat, { drafts }: Chats): boolean {
  const { text, attachments = [] } = drafts.of(session.key);
  return text.trim() === "" && attachments.length === 0;
}

function problemAtCursor(): CodePlace | undefined {
  const { activeTextEditor: editor } = vscode.window;
  if (editor === undefined) return undefined;
  const { document, selection } = editor;
  const found = vscode.languages.getDiagnostics(document.uri).filter(({ range }) => range.intersection(selection));
  const [first] = found;
  if (first === undefined) return undefined;
  const { start, end } = first.range;
  return { uri: document.uri.toString(), startLine: start.line + 1, endLine: end.line + 1 };
}
