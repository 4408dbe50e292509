import * as vscode from "vscode";
import { t } from "../../../webview/l10n.ts";
import type { ContextAttachment } from "../../../webview/protocol/context.ts";
import { formatMention, type LineRange } from "../../core/mentions/mention-text.ts";
import type { Mentions } from "../../features/composer/mentions.ts";
import { isCode, nameOf } from "../../features/composer/places.ts";
import type { Chats } from "../../window/chats.ts";
import { chatForCommand } from "../../window/command-chat.ts";
import { CodePlace } from "./code-place.ts";
import { linesOf } from "./lines-of.ts";

/** The prompt templates for code. */
export type CodeTask = "explain" | "fix" | "add-tests" | "document";

interface TaskServices {
  readonly chats: Chats;
  readonly mentions: Mentions;
}

/**
 * Sends a prompt template with some code to the chat for commands, and shows the chat.
 * @param argument the lines; default the selection in the active editor, or else its whole file. @throws Error for people when there is no code.
 */
export async function runCodeTask(task: CodeTask, argument: unknown, { chats, mentions }: TaskServices): Promise<void> {
  const given = CodePlace.safeParse(argument).data;
  const { uri, lines } = given === undefined ? selectedCode() : { uri: vscode.Uri.parse(given.uri), lines: given };
  const chat = chatForCommand(chats, uri);
  // A chat that no place shows would be closed.
  await chats.reveal(chat);
  const contexts = await chipsOf(task, { uri, lines }, (source) => mentions.chip(source, chat));
  const place = formatMention({ kind: "path", path: nameOf(uri), ...(lines && { lines }) });
  await chat.prompt({ text: `/${task} ${place}`, delivery: "followUp", contexts });
}

interface Code {
  readonly uri: vscode.Uri;
  readonly lines: LineRange | undefined;
}

function selectedCode(): Code {
  const { activeTextEditor: editor } = vscode.window;
  if (editor === undefined || !isCode(editor.document.uri)) throw new Error(t("Open a file and select code first."));
  const { document, selection } = editor;
  return { uri: document.uri, lines: selection.isEmpty ? undefined : linesOf(selection) };
}

type Source = Parameters<Mentions["chip"]>[0];

/** Returns the code as a chip, and for a fix the problems in it. */
function chipsOf(
  task: CodeTask,
  { uri, lines }: Code,
  chip: (source: Source) => Promise<ContextAttachment>,
): Promise<ContextAttachment[]> {
  const address = uri.toString();
  const sources: Source[] = [lines ? { kind: "lines", uri: address, ...lines } : { kind: "file", uri: address }];
  const hasProblems = vscode.languages
    .getDiagnostics(uri)
    .some(({ range }) => !lines || (range.start.line < lines.endLine && range.end.line >= lines.startLine - 1));
  if (task === "fix" && hasProblems) sources.push({ kind: "problems", uri: address, ...lines });
  return Promise.all(sources.map(chip));
}
