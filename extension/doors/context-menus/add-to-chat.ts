import * as vscode from "vscode";
import { t } from "../../../webview/l10n.ts";
import type { ContextBlock } from "../../../webview/protocol/context.ts";
import { gitBlock, partBlock } from "../../core/mentions/context-blocks.ts";
import { keepEnd } from "../../core/mentions/cut-text.ts";
import { isSecretLooking } from "../../editor/secret-files.ts";
import { addToComposer, type ComposerAddition } from "../../features/composer/add-to-composer.ts";
import { isFolder } from "../../features/composer/dropped-places.ts";
import type { Mentions } from "../../features/composer/mentions.ts";
import { isCode, nameOf } from "../../features/composer/places.ts";
import type { Chats } from "../../window/chats.ts";
import { changedFiles, chosenCell, chosenFiles, chosenTest } from "./menu-arguments.ts";

/** Maximum length of a test's message in the composer, in UTF-16 units. */
const MAX_MESSAGE_CHARS = 4_000;

interface AddServices {
  readonly chats: Chats;
  readonly mentions: Mentions;
}

/** Returns what a menu adds to the composer. Rejects with a text for people when there is nothing to add. */
type Gather = (args: readonly unknown[]) => Promise<ComposerAddition>;

/** The commands of the menus named *Tiller*, by id. */
const GATHERERS = {
  "tiller.addSelection": addSelection,
  "tiller.addFile": addFiles,
  "tiller.addChanges": addChanges,
  "tiller.addTerminal": async () => ({ contexts: [{ kind: "terminal" }] }),
  "tiller.addTerminalSelection": addTerminalSelection,
  "tiller.addTest": addTest,
  "tiller.addCell": addCell,
} as const satisfies Record<string, Gather>;

export type AddCommand = keyof typeof GATHERERS;

/** Adds the target of a menu to the composer of the focused chat, and shows it. Nothing is sent. */
export async function addToChat(command: AddCommand, args: readonly unknown[], services: AddServices): Promise<void> {
  // The editor loses the selection once the keyboard focus is in the chat.
  const addition = await GATHERERS[command](args);
  const { chats } = services;
  const { focused } = chats;
  await Promise.all([addToComposer(focused, addition, services), chats.reveal(focused)]);
}

/** Returns the selected lines, or else the file. */
async function addSelection(): Promise<ComposerAddition> {
  const { activeTextEditor: editor } = vscode.window;
  const selections = editor?.selections.filter(({ isEmpty }) => !isEmpty) ?? [];
  if (editor === undefined || selections.length === 0 || !isCode(editor.document.uri)) return addFiles([]);
  const uri = editor.document.uri.toString();
  return { contexts: selections.map((selection) => ({ kind: "lines", uri, ...linesOf(selection) })) };
}

/** Returns the lines of a selection; one that ends at the start of a line does not include that line. */
function linesOf({ start, end }: vscode.Selection): { startLine: number; endLine: number } {
  const isOpenEnd = end.character === 0 && end.line > start.line;
  return { startLine: start.line + 1, endLine: isOpenEnd ? end.line : end.line + 1 };
}

async function addFiles(args: readonly unknown[]): Promise<ComposerAddition> {
  const chosen = chosenFiles(args);
  const uris = (chosen.length > 0 ? chosen : openFile()).filter(isCode);
  if (uris.length === 0) throw new Error(t("There's no file to add."));
  const files = await Promise.all(uris.map(async (uri) => ({ uri, isFolder: await isFolder(uri) })));
  return { files };
}

/** Returns the changes in the selected files, or all changes when none is selected, as in the title of the view. */
async function addChanges(args: readonly unknown[]): Promise<ComposerAddition> {
  const uris = changedFiles(args);
  if (uris.length === 0) return { contexts: [{ kind: "git" }] };
  const block = await changesOf(uris);
  return block === undefined ? { files: uris.map((uri) => ({ uri })) } : { blocks: [block] };
}

async function addTerminalSelection(): Promise<ComposerAddition> {
  const selected = await selectedInTerminal();
  if (selected === undefined) throw new Error(t("Nothing is selected in the terminal."));
  const name = vscode.window.activeTerminal?.name ?? t("Terminal");
  return { blocks: [{ meta: { kind: "terminal", name }, content: keepEnd(selected).text }] };
}

async function addTest([argument]: readonly unknown[]): Promise<ComposerAddition> {
  const test = chosenTest(argument);
  if (test === undefined) throw new Error(t("Couldn't find the location of this test."));
  const { place, message } = test;
  if (message === undefined) return { files: [place] };
  return { files: [place], text: `${t("Test output:")}\n${message.slice(0, MAX_MESSAGE_CHARS)}` };
}

async function addCell([argument]: readonly unknown[]): Promise<ComposerAddition> {
  const cell = chosenCell(argument);
  if (cell === undefined) throw new Error(t("There's no notebook cell to add."));
  const { document, number } = cell;
  const path = `${nameOf(vscode.Uri.file(document.uri.path))}#${number}`;
  return { blocks: [partBlock({ path, startLine: 1, text: document.getText(), language: document.languageId })] };
}

/** Returns the file of the active tab. */
function openFile(): vscode.Uri[] {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  if (input instanceof vscode.TabInputText || input instanceof vscode.TabInputCustom) return [input.uri];
  if (input instanceof vscode.TabInputNotebook) return [input.uri];
  if (input instanceof vscode.TabInputTextDiff) return [input.modified];
  const { activeTextEditor } = vscode.window;
  return activeTextEditor === undefined ? [] : [activeTextEditor.document.uri];
}

/** The part of the git extension's API that is used here. */
interface GitExtension {
  getAPI(version: 1): { getRepository(uri: vscode.Uri): { diffWithHEAD(path: string): Promise<string> } | null };
}

/** Returns the changes of some files since the last commit, or undefined when git knows nothing about them. */
async function changesOf(uris: readonly vscode.Uri[]): Promise<ContextBlock | undefined> {
  const extension = vscode.extensions.getExtension<GitExtension>("vscode.git");
  const git = (await extension?.activate())?.getAPI(1);
  if (git === undefined) return undefined;
  const diffs = await Promise.all(
    uris
      .filter((uri) => !isSecretLooking(uri.path))
      // An untracked file has no diff.
      .map(
        async (uri) =>
          (await git
            .getRepository(uri)
            ?.diffWithHEAD(uri.fsPath)
            .catch(() => "")) ?? "",
      ),
  );
  const report = diffs.filter((diff) => diff.trim() !== "").join("\n");
  return report === "" ? undefined : gitBlock(report);
}

/**
 * Returns the selected text in the terminal, or undefined without a selection. The editor passes it only through the clipboard, whose text is
 * restored.
 */
async function selectedInTerminal(): Promise<string | undefined> {
  const { clipboard } = vscode.env;
  const before = await clipboard.readText();
  const mark = `tiller ${Date.now()} ${Math.random()}`;
  await clipboard.writeText(mark);
  try {
    await vscode.commands.executeCommand("workbench.action.terminal.copySelection");
    const text = await clipboard.readText();
    return text === mark || text === "" ? undefined : text;
  } finally {
    await clipboard.writeText(before);
  }
}
