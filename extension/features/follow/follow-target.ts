import type { AgentEvent } from "../../../agent/protocol/events.ts";

/** A place in a file that the agent reads or changes. */
export interface FollowTarget {
  /** Possible paths of the file, the likeliest first: absolute, or relative to the session's folder. */
  readonly paths: readonly string[];
  readonly kind: "read" | "change";
  /** First and last lines, 1-based; empty for the whole file. */
  readonly lines: readonly (readonly [number, number])[];
  /** A text at the place, when no line is known. */
  readonly text?: string;
}

type Args = Record<string, unknown>;

/** Maximum number of calls whose end is awaited; the oldest are dropped first. */
const MAX_OPEN_CALLS = 50;
const MAX_RANGES = 100;

/** Tools of the editor that show something themselves, or whose file is gone afterwards. */
const SHOWN_ALREADY: ReadonlySet<string> = new Set([
  "vscode_open_file",
  "vscode_create_file",
  "vscode_move_file",
  "vscode_delete_file",
  "vscode_revert_file",
  "vscode_run_tests",
  "vscode_read_notebook",
  "vscode_edit_notebook",
  "vscode_run_cell",
]);
const CHANGING: ReadonlySet<string> = new Set(["vscode_format", "vscode_tidy"]);

/** Derives the agent's place from its events. */
export class FollowTargets {
  readonly #open = new Map<string, Args>();

  /** @returns the agent's present place; undefined when the event does not tell. */
  read(event: AgentEvent): FollowTarget | undefined {
    if (event.type === "agent_settled") this.#open.clear();
    if (event.type === "tool_execution_start") {
      const args = isRecord(event.args) ? event.args : {};
      this.#open.set(event.toolCallId, args);
      for (const oldest of this.#open.keys()) {
        if (this.#open.size <= MAX_OPEN_CALLS) break;
        this.#open.delete(oldest);
      }
      return beginning(event.toolName, args);
    }
    if (event.type !== "tool_execution_end") return undefined;
    const args = this.#open.get(event.toolCallId);
    this.#open.delete(event.toolCallId);
    return args === undefined || event.isError ? undefined : end(event.toolName, args, event.result);
  }
}

function beginning(toolName: string, args: Args): FollowTarget | undefined {
  if (toolName === "read") return fileTarget(args, "read", readLines(args));
  if (toolName === "edit") {
    const [first] = Array.isArray(args.edits) ? args.edits : [args];
    const text = isRecord(first) && typeof first.oldText === "string" ? first.oldText : "";
    const target = fileTarget(args, "read", []);
    return target === undefined || text === "" ? target : { ...target, text };
  }
  if (toolName === "vscode_apply_edit") {
    const [first] = Array.isArray(args.edits) ? args.edits : [];
    return isRecord(first) ? fileTarget(first, "change", editorLines(first)) : undefined;
  }
  if (!toolName.startsWith("vscode_") || SHOWN_ALREADY.has(toolName)) return undefined;
  return fileTarget(args, CHANGING.has(toolName) ? "change" : "read", editorLines(args));
}

function end(toolName: string, args: Args, result: { content: readonly unknown[]; details?: unknown }) {
  if (toolName === "write") return fileTarget(args, "change", []);
  if (toolName === "edit") return fileTarget(args, "change", changedLines(result.details));
  if (toolName === "grep") return firstHit(args, result.content);
  return undefined;
}

function fileTarget(args: Args, kind: FollowTarget["kind"], lines: FollowTarget["lines"]): FollowTarget | undefined {
  const path = typeof args.path === "string" ? args.path.replace(/^@/, "") : "";
  return path === "" ? undefined : { paths: [path], kind, lines };
}

function readLines({ offset, limit }: Args): [number, number][] {
  if (!isLine(offset) && !isLine(limit)) return [];
  const first = isLine(offset) ? offset : 1;
  return [[first, isLine(limit) ? first + limit - 1 : Number.MAX_SAFE_INTEGER]];
}

function editorLines({ startLine, endLine, line }: Args): [number, number][] {
  const first = isLine(startLine) ? startLine : line;
  if (!isLine(first)) return [];
  return [[first, isLine(endLine) ? Math.max(endLine, first) : first]];
}

/** Returns the lines that a numbered diff adds to the new text, or the place where it only removes lines. */
function changedLines(details: unknown): [number, number][] {
  if (!isRecord(details)) return [];
  const ranges: [number, number][] = [];
  const diff = typeof details.diff === "string" ? details.diff : "";
  for (const [, digits] of diff.matchAll(/^\+ *(\d+) /gm)) {
    const line = Number(digits);
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === line - 1) last[1] = line;
    else if (ranges.length < MAX_RANGES) ranges.push([line, line]);
  }
  const { firstChangedLine } = details;
  return ranges.length === 0 && isLine(firstChangedLine) ? [[firstChangedLine, firstChangedLine]] : ranges;
}

/** Returns the first match of a search, whose paths are relative to the searched folder. */
function firstHit(args: Args, content: readonly unknown[]): FollowTarget | undefined {
  const [first] = content;
  const text = isRecord(first) && typeof first.text === "string" ? first.text : "";
  const hit = /^(.{1,1000}?):(\d{1,9}): /m.exec(text);
  if (hit === null) return undefined;
  const [, file = "", digits] = hit;
  const line = Math.max(Number(digits), 1);
  const root = typeof args.path === "string" ? args.path : "";
  const paths = root === "" ? [file] : [`${root}/${file}`, root, file];
  return { paths, kind: "read", lines: [[line, line]] };
}

function isLine(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 1;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
