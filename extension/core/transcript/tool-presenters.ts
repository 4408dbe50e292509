import { diffArrays } from "diff";
import { t } from "../../../webview/l10n.ts";

/** The contents of a tool card: one line, the command or change, and the file. */
export interface CallPresentation {
  intent: string;
  input: string;
  inputLanguage?: string;
  /** Absolute path. */
  path?: string;
  /** The URI of a document without a file. */
  address?: string;
}

/** Maximum length of the one-line intent, in UTF-16 units. */
const MAX_INTENT_CHARS = 200;
/** Maximum length of the input in a card, in UTF-16 units; an editor shows the whole. */
export const MAX_INPUT_CHARS = 8_000;

type Args = Record<string, unknown>;
type Presenter = (args: Args, cwd: string) => CallPresentation;

const presenters: Record<string, Presenter> = {
  bash: (args) => ({
    intent: oneLine(text(args, "command")),
    input: clip(text(args, "command")),
    inputLanguage: "bash",
  }),
  read: (args, cwd) => ({ ...aboutFile(args, cwd, lineRange(args)), input: "" }),
  write: (args, cwd) => ({
    ...aboutFile(args, cwd, ""),
    input: clip(text(args, "content")),
    ...languageOf(text(args, "path")),
  }),
  edit: (args, cwd) => {
    const diff = editsAsDiff(args);
    return { ...aboutFile(args, cwd, countChanges(diff)), input: clip(diff), inputLanguage: "diff" };
  },
  grep: (args, cwd) => ({ intent: oneLine(`${text(args, "pattern")}${place(args, cwd)}`), input: clip(pretty(args)) }),
  find: (args, cwd) => ({ intent: oneLine(`${text(args, "pattern")}${place(args, cwd)}`), input: "" }),
  vscode_show_diff: (args, cwd) => ({
    ...presentAny(args, cwd),
    intent: oneLine(
      text(args, "title") || relative(text(args, "rightPath") || text(args, "leftPath"), cwd) || t("two texts"),
    ),
  }),
  vscode_open_file: (args, cwd) => aboutFileLines(args, cwd),
  todo_write: (args) => ({ intent: oneLine(planChanges(args)), input: clip(pretty(args)), inputLanguage: "json" }),
  web_fetch: (args) => ({ intent: oneLine(text(args, "url")), input: text(args, "url") }),
  web_search: (args) => ({ intent: oneLine(text(args, "query")), input: "" }),
  ask_user: (args) => ({ intent: oneLine(text(args, "question")), input: "" }),
  recall: (args) => ({ intent: oneLine(text(args, "query") || text(args, "entry")), input: "" }),
  ls: (args, cwd) => ({ intent: oneLine(relative(text(args, "path"), cwd) || "."), input: "" }),
};

/** Presents a tool call on its card. Arguments may have any shape: what is missing is left out. */
export function presentCall(toolName: string, args: unknown, cwd: string): CallPresentation {
  const fields = isRecord(args) ? args : {};
  const present = Object.hasOwn(presenters, toolName) ? presenters[toolName] : undefined;
  return (present ?? presentAny)(fields, cwd);
}

/** Formats the changes of a diff, such as `+2 −1`; empty when there are none. */
export function countChanges(diff: string): string {
  const { added, removed } = changeCounts(diff);
  return added + removed === 0 ? "" : ` +${added} −${removed}`;
}

/** Counts the lines that a diff adds and removes, by their leading signs. */
export function changeCounts(diff: string): { added: number; removed: number } {
  let added = 0;
  let removed = 0;
  for (const line of diff.split("\n")) {
    if (line.startsWith("+") && !line.startsWith("+++")) added += 1;
    if (line.startsWith("-") && !line.startsWith("---")) removed += 1;
  }
  return { added, removed };
}

/** Returns a path as a card shows it: relative to `cwd` if it is inside. */
export function relative(path: string, cwd: string): string {
  if (cwd !== "" && (path.startsWith(`${cwd}/`) || path.startsWith(`${cwd}\\`))) return path.slice(cwd.length + 1);
  return path;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function presentAny(args: Args, cwd: string): CallPresentation {
  const values = Object.values(args);
  const [only] = values;
  const path = text(args, "path") || text(args, "file");
  const named = OBJECTS.map((field) => text(args, field)).find((value) => value !== "");
  const intent =
    named ?? (path !== "" ? relative(path, cwd) : values.length === 1 && typeof only === "string" ? only : plain(args));
  return {
    intent: values.length === 0 ? "" : oneLine(intent),
    input: values.length === 0 ? "" : clip(pretty(args)),
    inputLanguage: "json",
    ...absolutePath(path, cwd),
  };
}

/** The arguments that name the object of a call better than its file does. */
const OBJECTS = ["symbol", "query", "glob", "task", "command", "expression"];

/** Formats arguments for people, without the syntax of JSON. */
function plain(args: Args): string {
  return Object.entries(args)
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");
}

function aboutFileLines(args: Args, cwd: string): CallPresentation {
  const line = typeof args.startLine === "number" ? `:${args.startLine}` : "";
  return { ...aboutFile(args, cwd, line), input: "" };
}

function aboutFile(args: Args, cwd: string, suffix: string): { intent: string; path?: string; address?: string } {
  const path = text(args, "path").replace(/^@/, "");
  const place = ADDRESS.test(path) ? { address: path } : absolutePath(path, cwd);
  return { intent: `${oneLine(relative(path, cwd))}${suffix}`, ...place };
}

/** A document that only the editor can open, such as `untitled:Untitled-1`; a relative path may look the same. */
const ADDRESS = /^(?!file:|https?:)[a-z][a-z\d+.-]+:\S/i;

function absolutePath(path: string, cwd: string): { path?: string } {
  if (path === "" || path.startsWith("~") || /^[a-z][a-z\d+.-]+:/i.test(path)) return {};
  if (path.startsWith("/") || /^[a-z]:[\\/]/i.test(path)) return { path };
  return cwd === "" ? {} : { path: `${cwd}/${path.replace(/^\.\//, "")}` };
}

function lineRange(args: Args): string {
  const from = typeof args.offset === "number" ? args.offset : undefined;
  const count = typeof args.limit === "number" ? args.limit : undefined;
  if (from === undefined && count === undefined) return "";
  const first = from ?? 1;
  return ` (${count === undefined ? t("from line {0}", first) : t("lines {0}–{1}", first, first + count - 1)})`;
}

function place(args: Args, cwd: string): string {
  const path = relative(text(args, "path"), cwd);
  const glob = text(args, "glob");
  return `${path === "" ? "" : ` ${t("in {0}", path)}`}${glob === "" ? "" : ` (${glob})`}`;
}

function planChanges({ ops }: Args): string {
  const changes = Array.isArray(ops) ? ops.filter(isRecord) : [];
  return changes.map((op) => [text(op, "op"), text(op, "id"), text(op, "status")].join(" ").trim()).join(", ");
}

function linesOf(value: string): string[] {
  return value === "" ? [] : value.replace(/\n$/, "").split("\n");
}

function editsAsDiff(args: Args): string {
  const edits = Array.isArray(args.edits) ? args.edits : [isRecord(args.edits) ? args.edits : args];
  const lines: string[] = [];
  for (const edit of edits) {
    if (!isRecord(edit)) continue;
    // Compared line by line, as what comes of the edit is, so that the counts stay the same.
    for (const { value, added, removed } of diffArrays(
      linesOf(text(edit, "oldText")),
      linesOf(text(edit, "newText")),
    )) {
      const sign = added ? "+" : removed ? "-" : " ";
      lines.push(...value.map((line) => sign + line));
    }
  }
  return lines.join("\n");
}

const LANGUAGES: Record<string, string> = {
  ts: "typescript",
  tsx: "typescript",
  js: "javascript",
  mjs: "javascript",
  jsx: "javascript",
  json: "json",
  py: "python",
  sh: "bash",
  rs: "rust",
  go: "go",
  java: "java",
  c: "cpp",
  h: "cpp",
  cc: "cpp",
  cpp: "cpp",
  hpp: "cpp",
  css: "css",
  html: "xml",
  xml: "xml",
  svg: "xml",
  yml: "yaml",
  yaml: "yaml",
  md: "markdown",
  sql: "sql",
};

function languageOf(path: string): { inputLanguage?: string } {
  const extension = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase();
  const language = extension !== undefined && Object.hasOwn(LANGUAGES, extension) ? LANGUAGES[extension] : undefined;
  return language === undefined ? {} : { inputLanguage: language };
}

function text(args: Args, field: string): string {
  const value = args[field];
  return typeof value === "string" ? value : "";
}

function pretty(args: Args): string {
  return JSON.stringify(args, undefined, 2);
}

function oneLine(line: string): string {
  const flat = line
    .slice(0, 4 * MAX_INTENT_CHARS)
    .replace(/\s+/g, " ")
    .trim();
  return flat.length <= MAX_INTENT_CHARS ? flat : `${flat.slice(0, MAX_INTENT_CHARS - 1)}…`;
}

function clip(input: string): string {
  if (input.length <= MAX_INPUT_CHARS) return input;
  return `${input.slice(0, MAX_INPUT_CHARS)}\n${t("… {0} more characters", input.length - MAX_INPUT_CHARS)}`;
}
