import * as vscode from "vscode";
import { hasTab } from "../tabs.ts";
import { hasService, openForLanguage } from "./language-ready.ts";
import { settled } from "./settled.ts";
import { askTsServer, hasTsServer } from "./ts-server.ts";

/** Larger files are not checked, in bytes. */
const MAX_BYTES = 1_000_000;
/** Maximum time until the editor notices that a file has changed on the disk, in milliseconds. */
const SYNC_MS = 2_000;
/** Notebooks are not opened: that would make the editor look for a kernel. */
const NOTEBOOK = /\.ipynb$/i;
/** Languages without a service that reports problems. */
const NO_SERVICE: ReadonlySet<string> = new Set(["plaintext", "log", "markdown", "binary"]);

/** The result of the check of a file, which is never shown for it. */
export interface FileCheck {
  /** The problems that its language service answered; undefined if those that it publishes count. */
  readonly asked?: readonly vscode.Diagnostic[];
  /** Why its problems are not known; absent when they are. */
  readonly gap?: "onlyInTabs" | "late";
}

interface CheckOptions {
  readonly token: vscode.CancellationToken;
  /** Maximum time, in milliseconds. */
  readonly limitMs: number;
  /** Includes hints, which take a request more. */
  readonly hasHints?: boolean;
}

/** Documents about which a language service has published something, be it that there are no problems. */
const answered = new WeakSet<vscode.TextDocument>();

/** Asks the language services of a file for its problems, without a tab. Never rejects. */
export async function checkFile(uri: vscode.Uri, options: CheckOptions): Promise<FileCheck> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<FileCheck>((resolve) => {
    timer = setTimeout(() => resolve({ gap: "late" }), options.limitMs);
  });
  try {
    return await Promise.race([check(uri, options), late]);
  } catch {
    return { gap: "late" }; // cancelled, or the service does not answer
  } finally {
    clearTimeout(timer);
  }
}

async function check(uri: vscode.Uri, { token, hasHints = false }: CheckOptions): Promise<FileCheck> {
  if (!(await isCheckable(uri))) return {};
  const heard = hear(uri);
  try {
    const document = await openForLanguage(uri, token);
    if (NO_SERVICE.has(document.languageId)) return {};
    if (!(await isSynced(document))) return { gap: "late" };
    const asked = hasTsServer(document) ? await askTsServer(document, token, hasHints) : undefined;
    if (asked !== undefined) return { asked };
    await settled(token);
    if (heard.isHeard() || vscode.languages.getDiagnostics(uri).length > 0) answered.add(document);
    const isKnown = answered.has(document) || hasTab(uri) || !hasService(document.languageId);
    return isKnown ? {} : { gap: "onlyInTabs" };
  } finally {
    heard.dispose();
  }
}

/** Notes whether something is published about a file. */
function hear(uri: vscode.Uri): vscode.Disposable & { isHeard(): boolean } {
  let isHeard = false;
  const subscription = vscode.languages.onDidChangeDiagnostics(({ uris }) => {
    isHeard ||= uris.some((one) => one.toString() === uri.toString());
  });
  return { isHeard: () => isHeard, dispose: () => subscription.dispose() };
}

async function isCheckable(uri: vscode.Uri): Promise<boolean> {
  if (NOTEBOOK.test(uri.path)) return false;
  try {
    const { size, type } = await vscode.workspace.fs.stat(uri);
    if (type !== vscode.FileType.File || size > MAX_BYTES) return false;
    await vscode.workspace.openTextDocument(uri);
    return true;
  } catch {
    return false; // the file does not exist yet, or is not text
  }
}

/** Waits until a document has the text of its file. */
async function isSynced(document: vscode.TextDocument): Promise<boolean> {
  if (document.isDirty || (await hasDiskText(document))) return true;
  return new Promise((resolve) => {
    const end = (isSame: boolean) => {
      clearTimeout(timer);
      subscription.dispose();
      resolve(isSame);
    };
    const timer = setTimeout(() => void hasDiskText(document).then(end), SYNC_MS);
    const subscription = vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.document === document && event.contentChanges.length > 0) end(true);
    });
  });
}

async function hasDiskText(document: vscode.TextDocument): Promise<boolean> {
  const bytes = await vscode.workspace.fs.readFile(document.uri);
  const lines = (text: string) => text.replace(/\r\n?/g, "\n");
  return lines(new TextDecoder().decode(bytes)) === lines(document.getText());
}
