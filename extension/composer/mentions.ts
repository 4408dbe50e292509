import { execFile } from "node:child_process";
import { isAbsolute, relative, sep } from "node:path";
import { promisify } from "node:util";
import * as vscode from "vscode";
import type { FromPanel } from "../../webview/protocol/from-panel.ts";
import type { ContextKind } from "../../webview/protocol/to-panel.ts";
import { gitBlock, partBlock, problemsBlock } from "../mentions/context-blocks.ts";
import { formatMention, mentionAt } from "../mentions/mention-text.ts";
import { findRipgrep, gitFiles, listedFiles, ripgrepFiles } from "../mentions/path-sources.ts";
import type { ChatPage } from "../panel/chat-page.ts";
import { mentionMatches } from "./mention-matches.ts";
import { type PathLists, WorkspacePaths } from "./workspace-paths.ts";

const GIT_TIMEOUT_MS = 10_000;
const MAX_GIT_BYTES = 8 * 1024 * 1024;
const SEVERITIES = ["error", "warning", "info", "hint"] as const;

/** What `@` in the composer offers: files and folders of the first folder of the workspace, and what the editor knows. */
export class Mentions implements vscode.Disposable {
  readonly #paths: WorkspacePaths;

  /** @param failed is told when the files could not be listed. */
  constructor(failed: (error: unknown) => void) {
    this.#paths = new WorkspacePaths(pathLists, failed);
  }

  /** Answers with what fits the mention at the caret, as soon as something is known, and again when more is. */
  async list({ request, text, caret }: Extract<FromPanel, { type: "listMentions" }>, page: ChatPage): Promise<void> {
    const open = mentionAt(text, caret);
    if (open === undefined) {
      page.post({ type: "mentions", request, start: caret, end: caret, matches: [] });
      return;
    }
    const { start, end, query, lines } = open;
    await this.#paths.find(query, openPaths(), ({ matches }) => {
      page.post({ type: "mentions", request, start, end, matches: mentionMatches(query, matches, lines) });
    });
  }

  /** Puts what the editor knows into the composer, as a chip. */
  async take(kind: ContextKind, page: ChatPage): Promise<void> {
    const found = kind === "git" ? await gitChanges() : kind === "problems" ? problems() : selection();
    if (found === undefined) throw new Error(NOTHING[kind]);
    page.post({ type: "insert", ...found });
  }

  /** Puts what was dropped into the composer, as mentions. */
  async drop(uris: readonly string[], page: ChatPage): Promise<void> {
    const mentions = uris.flatMap((uri) => {
      const parsed = vscode.Uri.parse(uri);
      if (parsed.scheme !== "file" && parsed.scheme !== "vscode-remote") return [];
      return [formatMention({ kind: "path", path: pathOf(vscode.Uri.file(parsed.path)) })];
    });
    if (mentions.length > 0) page.post({ type: "insert", text: `${mentions.join(" ")} ` });
  }

  dispose(): void {
    this.#paths.dispose();
  }
}

const NOTHING: Record<ContextKind, string> = {
  problems: "The editor has no problems to tell of.",
  selection: "Nothing is selected in the editor.",
  git: "Git has no changes to tell of.",
};

function folder(): vscode.Uri | undefined {
  return vscode.workspace.workspaceFolders?.[0]?.uri;
}

/** The path from the agent's folder, with forward slashes; absolute for what is elsewhere. */
function pathOf(uri: vscode.Uri): string {
  const root = folder();
  const path = root === undefined ? uri.fsPath : relative(root.fsPath, uri.fsPath);
  const isInside = path !== "" && !path.startsWith("..") && !isAbsolute(path);
  return (isInside ? path : uri.fsPath).split(sep).join("/");
}

function openPaths(): string[] {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  const active = tabs.filter((tab) => tab.isActive);
  return [...active, ...tabs].flatMap(({ input }) => (input instanceof vscode.TabInputText ? [pathOf(input.uri)] : []));
}

async function pathLists(): Promise<PathLists> {
  const root = folder();
  if (root === undefined) return { shown: listedFiles(async () => []) };
  const rgPath = await findRipgrep(vscode.env.appRoot);
  if (rgPath !== undefined) {
    const ignored = ripgrepFiles({ rgPath, folder: root.fsPath, withIgnored: true, skip: ["node_modules"] });
    return { shown: ripgrepFiles({ rgPath, folder: root.fsPath }), ignored };
  }
  const isRepository = await git(["rev-parse", "--git-dir"]).then(
    () => true,
    () => false,
  );
  if (isRepository) return { shown: gitFiles(root.fsPath), ignored: gitFiles(root.fsPath, { onlyIgnored: true }) };
  return {
    shown: listedFiles(async () => {
      const pattern = new vscode.RelativePattern(root, "**/*");
      return (await vscode.workspace.findFiles(pattern)).map(pathOf);
    }),
  };
}

function problems(): { text: string; name: string } | undefined {
  const all = vscode.languages.getDiagnostics().flatMap(([uri, list]) =>
    list.map((diagnostic) => ({
      path: pathOf(uri),
      line: diagnostic.range.start.line + 1,
      column: diagnostic.range.start.character + 1,
      severity: SEVERITIES[diagnostic.severity] ?? "info",
      message: diagnostic.message,
      ...(diagnostic.source === undefined ? {} : { source: diagnostic.source }),
    })),
  );
  if (all.length === 0) return undefined;
  return { text: `Problems that the editor tells of:\n${problemsBlock(all).content}\n`, name: "Problems" };
}

function selection(): { text: string; name: string } | undefined {
  const editors = [vscode.window.activeTextEditor, ...vscode.window.visibleTextEditors];
  const editor = editors.find((one) => one !== undefined && !one.selection.isEmpty);
  if (editor === undefined) return undefined;
  const { start, end } = editor.selection;
  const path = pathOf(editor.document.uri);
  const text = editor.document.getText(editor.selection);
  const { content } = partBlock({ path, startLine: start.line + 1, text });
  return { text: `Selected in ${path}, lines ${start.line + 1} to ${end.line + 1}:\n${content}\n`, name: "Selection" };
}

async function gitChanges(): Promise<{ text: string; name: string } | undefined> {
  if (!vscode.workspace.isTrusted) throw new Error("Git is not asked in a workspace that is not trusted.");
  const status = await git(["status", "--short"]);
  if (status.trim() === "") return undefined;
  // Before the first commit there is nothing to compare with.
  const diff = await git(["diff", "--no-ext-diff", "--no-textconv", "HEAD"]).catch(() => "");
  return { text: `${gitBlock(`${status}\n${diff}`).content}\n`, name: "Git changes" };
}

async function git(args: readonly string[]): Promise<string> {
  const cwd = folder()?.fsPath;
  if (cwd === undefined) throw new Error("No folder is open.");
  // A repository's settings may name a program as its file monitor.
  const all = ["-c", "core.fsmonitor=false", "--no-pager", "--no-optional-locks", ...args];
  const options = { cwd, timeout: GIT_TIMEOUT_MS, maxBuffer: MAX_GIT_BYTES };
  return (await promisify(execFile)("git", all, options)).stdout;
}
