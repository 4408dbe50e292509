import { execFile } from "node:child_process";
import { promisify } from "node:util";
import * as vscode from "vscode";
import { errorMessage } from "../../../agent/protocol/errors.ts";
import { t } from "../../../webview/l10n.ts";
import type { ContextBlock, ContextSource } from "../../../webview/protocol/context.ts";
import type { Chat } from "../../chat/chat.ts";
import {
  fileBlock,
  gitBlock,
  missingBlock,
  type Problem,
  partBlock,
  problemsBlock,
} from "../../core/mentions/context-blocks.ts";
import { isSecretLooking } from "../../editor/secret-files.ts";
import { readDebugger } from "./debug-context.ts";
import type { LastRuns } from "./last-runs.ts";
import { NothingThere } from "./nothing-there.ts";
import { editorsInOrder, nameOf } from "./places.ts";
import { readResource } from "./resources.ts";
import { currentRange } from "./symbols.ts";

const GIT_TIMEOUT_MS = 10_000;
const MAX_GIT_BYTES = 8 * 1024 * 1024;
const SEVERITIES = ["error", "warning", "info", "hint"] as const;

/** Sources of context besides the editor itself. */
export interface ContextSurroundings {
  readonly runs: LastRuns;
  readonly chat: Chat;
}

/** Reads the present content of a source. @throws NothingThere when it has none. */
export async function readContext(
  source: Exclude<ContextSource, { kind: "sent" }>,
  { runs, chat }: ContextSurroundings,
): Promise<ContextBlock> {
  switch (source.kind) {
    case "problems":
      return problemsBlock(problemsOf(source));
    case "selection":
      return selection();
    case "terminal":
      return runs.terminal();
    case "task":
      return runs.task(problemsOf({}).filter(({ severity }) => severity === "error" || severity === "warning"));
    case "debug":
      return readDebugger();
    case "git":
      return gitChanges(chat.session.folder);
    case "resource":
      return readResource(source, chat);
    case "file":
      return wholeFile(vscode.Uri.parse(source.uri));
    case "lines":
      return readLines(vscode.Uri.parse(source.uri), source);
    case "symbol": {
      const uri = vscode.Uri.parse(source.uri);
      const range = await currentRange(uri, source);
      return part(uri, range ?? linesRange(source), source.name);
    }
  }
}

/** Reads a source; when it is unavailable, returns a block with the reason. */
export async function readOrSay(
  source: Exclude<ContextSource, { kind: "sent" }>,
  label: string,
  around: ContextSurroundings,
): Promise<ContextBlock> {
  try {
    return await readContext(source, around);
  } catch (error) {
    return missingBlock(label, errorMessage(error));
  }
}

function problemsOf({ uri, startLine = 1, endLine = Number.MAX_SAFE_INTEGER }: ProblemsPlace): Problem[] {
  const all: [vscode.Uri, readonly vscode.Diagnostic[]][] =
    uri === undefined
      ? vscode.languages.getDiagnostics()
      : [[vscode.Uri.parse(uri), vscode.languages.getDiagnostics(vscode.Uri.parse(uri))]];
  return all.flatMap(([file, diagnostics]) =>
    diagnostics
      .filter(({ range }) => range.start.line < endLine && range.end.line >= startLine - 1)
      .map((diagnostic) => ({
        path: nameOf(file),
        line: diagnostic.range.start.line + 1,
        column: diagnostic.range.start.character + 1,
        severity: SEVERITIES[diagnostic.severity] ?? "info",
        message: diagnostic.message,
        ...originOf(diagnostic),
      })),
  );
}

/** Returns the source and the rule of a problem. */
function originOf({ source, code }: vscode.Diagnostic): { source?: string } {
  const rule = typeof code === "object" ? code.value : code;
  const origin = [source, rule].filter((part) => part !== undefined && part !== "").join(" ");
  return origin === "" ? {} : { source: origin };
}

interface ProblemsPlace {
  readonly uri?: string | undefined;
  readonly startLine?: number | undefined;
  readonly endLine?: number | undefined;
}

function selection(): ContextBlock {
  const editor = editorsInOrder().find((one) => !one.selection.isEmpty);
  if (editor === undefined) throw new NothingThere(t("Nothing is selected in the editor."));
  const { document, selection: range } = editor;
  return blockOf(document, range, undefined);
}

/** Reads lines of a document, 1-based, both inclusive. @throws NothingThere as `readContext` does. */
export function readLines(uri: vscode.Uri, lines: { readonly startLine: number; readonly endLine: number }) {
  return part(uri, linesRange(lines), undefined);
}

async function part(uri: vscode.Uri, range: vscode.Range, name: string | undefined): Promise<ContextBlock> {
  return blockOf(await open(uri), range, name);
}

async function wholeFile(uri: vscode.Uri): Promise<ContextBlock> {
  refuseSecret(uri);
  const document = await open(uri);
  return fileBlock({ path: nameOf(uri), text: document.getText(), language: document.languageId });
}

function blockOf(document: vscode.TextDocument, range: vscode.Range, name: string | undefined): ContextBlock {
  refuseSecret(document.uri);
  return partBlock({
    path: nameOf(document.uri),
    startLine: range.start.line + 1,
    text: document.getText(range),
    language: document.languageId,
    ...(name === undefined ? {} : { name }),
  });
}

function refuseSecret(uri: vscode.Uri): void {
  if (!isSecretLooking(uri.path)) return;
  throw new NothingThere(
    t("Didn't attach {0} because it looks like it contains secrets. Paste the part you need.", nameOf(uri)),
  );
}

/** Opens a document as the editor has it, with unsaved changes. It must be open or in a folder of the window. */
async function open(uri: vscode.Uri): Promise<vscode.TextDocument> {
  const isOpen = vscode.workspace.textDocuments.some((document) => document.uri.toString() === uri.toString());
  if (!isOpen && vscode.workspace.getWorkspaceFolder(uri) === undefined) {
    throw new NothingThere(t("{0} isn't in this workspace.", nameOf(uri)));
  }
  try {
    return await vscode.workspace.openTextDocument(uri);
  } catch (error) {
    throw new NothingThere(t("Couldn't read {0} as text: {1}", nameOf(uri), errorMessage(error)));
  }
}

function linesRange({ startLine, endLine }: { readonly startLine: number; readonly endLine: number }): vscode.Range {
  return new vscode.Range(startLine - 1, 0, endLine, 0);
}

async function gitChanges(folder: string): Promise<ContextBlock> {
  if (!vscode.workspace.isTrusted) throw new NothingThere(t("Trust this workspace to attach Git changes."));
  const status = await git(["status", "--short"], folder).catch((error: unknown) => {
    throw new NothingThere(t("Couldn't run Git: {0}", errorMessage(error).split("\n").slice(0, 2).join(" ")));
  });
  if (status.trim() === "") throw new NothingThere(t("There are no uncommitted changes."));
  const diff = ["diff", "--no-ext-diff", "--no-textconv", "HEAD"];
  // Before the first commit there is nothing to compare with.
  const names = await git([...diff, "--name-only", "--no-renames", "-z"], folder).catch(() => undefined);
  if (names === undefined) return gitBlock(status);
  const secrets = names.split("\0").filter((name) => name !== "" && isSecretLooking(name));
  const leftOut = secrets.map((name) => `:(top,exclude,literal)${name}`);
  const note = secrets.length === 0 ? "" : `[Changes left out, files look like secrets: ${secrets.join(", ")}]\n`;
  return gitBlock(`${status}\n${note}${await git([...diff, "--", ":(top)", ...leftOut], folder)}`);
}

async function git(args: readonly string[], cwd: string): Promise<string> {
  // The config of a repository may name a program as its file monitor.
  const all = ["-c", "core.fsmonitor=false", "--no-pager", "--no-optional-locks", ...args];
  const options = { cwd, timeout: GIT_TIMEOUT_MS, maxBuffer: MAX_GIT_BYTES };
  return (await promisify(execFile)("git", all, options)).stdout;
}
