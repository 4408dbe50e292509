import * as vscode from "vscode";
import type { Chats } from "../../window/chats.ts";
import { UsagePage } from "./usage-page.ts";

/** Registers the page that shows what sessions have used. */
export function registerUsage(parts: {
  readonly context: vscode.ExtensionContext;
  readonly chats: Chats;
  readonly log: vscode.LogOutputChannel;
}): vscode.Disposable[] {
  const { context, chats, log } = parts;
  const page = new UsagePage({ extensionUri: context.extensionUri, chats, log });
  return [page, vscode.commands.registerCommand("tiller.showUsage", () => page.open())];
}
