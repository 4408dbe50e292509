import * as vscode from "vscode";
import * as z from "zod";
import { describeUri } from "../../../editor/workspace-files.ts";
import { activeSession } from "../debug/live-session.ts";
import { defineHostTool } from "../host-tool.ts";
import { listText, nextArgument } from "../listing.ts";

/** Lists what is open in the window. */
export const editorState = defineHostTool({
  name: "vscode_editor_state",
  label: "Editor state",
  description:
    "Lists tabs, unsaved files, visible lines, terminals, debugger and folders. Documents without a file have addresses, such as untitled:Untitled-1.",
  isReadOnly: true,
  input: z.object({ next: nextArgument }),
  async run({ next }) {
    const lines = [...folders(), ...groups(), ...visible(), ...terminals(), ...(await debuggers())];
    return listText({ title: "The window now:", lines, next });
  },
});

function folders(): string[] {
  return (vscode.workspace.workspaceFolders ?? []).map(({ name, uri }) => `folder ${name}: ${uri.fsPath}`);
}

function groups(): string[] {
  return vscode.window.tabGroups.all.flatMap((group, index) => {
    const heading = `group ${index + 1}${group.isActive ? " (active)" : ""}: ${group.tabs.length} tabs`;
    return [heading, ...group.tabs.map((tab) => `  ${describeTab(tab)}`)];
  });
}

function describeTab(tab: vscode.Tab): string {
  const marks = [
    tab.isActive ? "in front" : "",
    tab.isDirty ? "unsaved" : "",
    tab.isPinned ? "pinned" : "",
    tab.isPreview ? "preview" : "",
  ].filter((mark) => mark !== "");
  return `${nameOf(tab)}${marks.length === 0 ? "" : ` (${marks.join(", ")})`}`;
}

function nameOf({ input, label }: vscode.Tab): string {
  if (input instanceof vscode.TabInputText) return describeUri(input.uri);
  if (input instanceof vscode.TabInputTextDiff) {
    return `diff of ${describeUri(input.original)} and ${describeUri(input.modified)}`;
  }
  if (input instanceof vscode.TabInputNotebook) return `notebook ${describeUri(input.uri)}`;
  if (input instanceof vscode.TabInputCustom) return describeUri(input.uri);
  return label;
}

function visible(): string[] {
  return vscode.window.visibleTextEditors
    .filter(({ document }) => document.uri.scheme !== "output")
    .map(({ document, visibleRanges }) => {
      const ranges = visibleRanges.map(({ start, end }) => `${start.line + 1}-${end.line + 1}`).join(", ");
      return `visible: ${describeUri(document.uri)} lines ${ranges} of ${document.lineCount}, version ${document.version}`;
    });
}

function terminals(): string[] {
  return vscode.window.terminals.map((terminal) => {
    const active = terminal === vscode.window.activeTerminal ? " (active)" : "";
    const ended = terminal.exitStatus === undefined ? "" : `, ended with ${terminal.exitStatus.code ?? "no code"}`;
    return `terminal ${terminal.name}${active}${ended}`;
  });
}

async function debuggers(): Promise<string[]> {
  const session = await activeSession();
  return session === undefined ? [] : [`debugging: ${session.name} (${session.type})`];
}
