import { resolve } from "node:path";
import type { ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";
import * as z from "zod";
import { summarizeCommand } from "../../tools/bash.ts";
import { resolvePath } from "../../util/paths.ts";

/** How a client shows a tool call. */
export interface ToolView {
  title: string;
  kind: ToolKind;
  locations: ToolCallLocation[];
}

/** Arguments that titles and places are made of. A model may send others, or none. */
const Shown = z.object({
  path: z.string().optional().catch(undefined),
  offset: z.int().positive().optional().catch(undefined),
  command: z.string().optional().catch(undefined),
  pattern: z.string().optional().catch(undefined),
  url: z.string().optional().catch(undefined),
  query: z.string().optional().catch(undefined),
});
type Shown = z.infer<typeof Shown>;

const MAX_TITLE_LENGTH = 200;

interface Wording {
  kind: ToolKind;
  title(args: Shown): string;
}

const WORDINGS: Readonly<Record<string, Wording>> = {
  read: {
    kind: "read",
    title: ({ path, offset }) => `Read ${path ?? "a file"}${offset === undefined ? "" : `:${offset}`}`,
  },
  edit: { kind: "edit", title: ({ path }) => `Edit ${path ?? "a file"}` },
  write: { kind: "edit", title: ({ path }) => `Write ${path ?? "a file"}` },
  bash: {
    kind: "execute",
    title: ({ command }) => (command === undefined ? "Run a command" : summarizeCommand(command)),
  },
  bash_output: { kind: "read", title: () => "Read the output of a background process" },
  bash_stop: { kind: "execute", title: () => "Stop a background process" },
  grep: { kind: "search", title: ({ pattern, path }) => `Search for ${pattern ?? "text"}${inPath(path)}` },
  find: { kind: "search", title: ({ pattern, path }) => `Find ${pattern ?? "files"}${inPath(path)}` },
  ls: { kind: "search", title: ({ path }) => `List ${path ?? "the folder"}` },
  web_fetch: { kind: "fetch", title: ({ url }) => `Fetch ${url ?? "a page"}` },
  web_search: { kind: "fetch", title: ({ query }) => `Search the web for ${query ?? "something"}` },
  ask_user: { kind: "think", title: () => "Ask you" },
  recall: { kind: "think", title: () => "Recall earlier parts of the session" },
  tool_search: { kind: "think", title: () => "Look for tools" },
  todo_write: { kind: "think", title: () => "Update the plan" },
};

/** Returns how a call is shown; `args` is undefined while the model still writes them. */
export function toolView(name: string, args: unknown, cwd: string): ToolView {
  const shown = Shown.safeParse(args).data ?? {};
  const wording = Object.hasOwn(WORDINGS, name) ? WORDINGS[name] : undefined;
  if (wording === undefined) return { title: oneLine(nameInWords(name)), kind: "other", locations: [] };
  return { title: oneLine(wording.title(shown)), kind: wording.kind, locations: locationsOf(wording.kind, shown, cwd) };
}

const Changed = z.object({ firstChangedLine: z.int().positive() });

/** Returns the places of an edit with the line of its first change. @param details the details of its result. */
export function changedPlaces(locations: readonly ToolCallLocation[], details: unknown): ToolCallLocation[] {
  const line = Changed.safeParse(details).data?.firstChangedLine;
  return line === undefined ? [] : locations.map(({ path }) => ({ path, line }));
}

function locationsOf(kind: ToolKind, { path, offset }: Shown, cwd: string): ToolCallLocation[] {
  if (path === undefined || (kind !== "read" && kind !== "edit" && kind !== "search")) return [];
  return [{ path: resolve(resolvePath(cwd, path)), ...(offset !== undefined && { line: offset }) }];
}

/** The name of a tool that is not ours, such as `mcp__github__list_issues`. */
function nameInWords(name: string): string {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(name) ?? [];
  return tool === undefined ? name : `${tool} (${server})`;
}

function inPath(path: string | undefined): string {
  return path === undefined ? "" : ` in ${path}`;
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > MAX_TITLE_LENGTH ? `${line.slice(0, MAX_TITLE_LENGTH - 1)}…` : line;
}
