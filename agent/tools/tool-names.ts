import { editDistance } from "../util/edit-distance.ts";

/** The name of the tool that finds other tools. */
export const TOOL_SEARCH = "tool_search";

/** A call of a tool by name. */
export interface NamedCall {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

/** Names that other agents give to tools like the built-in ones, without case, `_` and `-`. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  readfile: "read",
  view: "read",
  viewfile: "read",
  openfile: "read",
  writefile: "write",
  writetofile: "write",
  createfile: "write",
  savefile: "write",
  multiedit: "edit",
  editfile: "edit",
  strreplace: "edit",
  stringreplace: "edit",
  searchreplace: "edit",
  searchandreplace: "edit",
  replaceinfile: "edit",
  shell: "bash",
  terminal: "bash",
  shellcommand: "bash",
  execcommand: "bash",
  executecommand: "bash",
  runcommand: "bash",
  runshellcommand: "bash",
  runterminalcmd: "bash",
  runterminalcommand: "bash",
  runinterminal: "bash",
  grepsearch: "grep",
  searchfilecontent: "grep",
  searchtext: "grep",
  ripgrep: "grep",
  rg: "grep",
  glob: "find",
  globsearch: "find",
  globfilesearch: "find",
  findfiles: "find",
  listdir: "ls",
  listdirectory: "ls",
  listfiles: "ls",
  fetch: "web_fetch",
  fetchurl: "web_fetch",
  fetchwebpage: "web_fetch",
  readurl: "web_fetch",
  searchweb: "web_search",
  googlesearch: "web_search",
};

/** Tools that do several things, named by their argument `command`. */
const EDITORS: ReadonlySet<string> = new Set(["strreplaceeditor", "strreplacebasededittool", "texteditor"]);
const EDITOR_COMMANDS: Readonly<Record<string, string>> = { view: "read", create: "write", strreplace: "edit" };

const MAX_LISTED = 40;
/** A longer text is no name, and would take long to compare. */
const MAX_NAME_LENGTH = 100;

/**
 * Returns the call with the name of the tool that is meant: one of these tools in other case, or with the name that another agent gives it.
 * A call that fits none, or several, stays as it is.
 */
export function withToolName<Call extends NamedCall>(call: Call, names: ReadonlySet<string>): Call {
  if (names.has(call.name)) return call;
  const plain = plainName(call.name);
  const alike = [...names].filter((name) => plainName(name) === plain);
  const [only] = alike;
  if (only !== undefined) return alike.length === 1 ? { ...call, name: only } : call;
  if (EDITORS.has(plain)) return editorCall(call, names);
  const name = Object.hasOwn(OTHER_NAMES, plain) ? OTHER_NAMES[plain] : undefined;
  return name !== undefined && names.has(name) ? { ...call, name } : call;
}

/** Words for the model that there is no such tool: the tools that there are, the nearest name first. */
export function unknownToolText(call: NamedCall, names: ReadonlySet<string>): string {
  const plain = plainName(call.name.slice(0, MAX_NAME_LENGTH));
  const { command } = call.arguments;
  if (EDITORS.has(plain) && typeof command === "string" && plainName(command) === "insert" && names.has("edit")) {
    return `Tool ${call.name} not found. To insert text, call edit with a line next to the place as oldText, and with newText that repeats it.`;
  }
  const meant = Object.hasOwn(OTHER_NAMES, plain) ? OTHER_NAMES[plain] : undefined;
  const sorted = [...names]
    .map((name) => ({ name, distance: editDistance(plain, plainName(name)) - sharedLength(plain, plainName(name)) }))
    .sort((one, other) => one.distance - other.distance)
    .map(({ name }) => name);
  const more = sorted.length > MAX_LISTED ? `, and ${sorted.length - MAX_LISTED} more` : "";
  const list = sorted.length === 0 ? "There are no tools." : `Tools: ${sorted.slice(0, MAX_LISTED).join(", ")}${more}.`;
  const search = names.has(TOOL_SEARCH) ? ` Search for others with ${TOOL_SEARCH}.` : "";
  const why = meant === undefined ? "" : ` Did you mean ${meant}? It's turned off.`;
  return `Tool ${call.name} not found.${why} ${list}${search}`;
}

/** The editor tool has other arguments for the same things; one that is not known leaves the call as it is. */
function editorCall<Call extends NamedCall>(call: Call, names: ReadonlySet<string>): Call {
  const { command, view_range: range, ...args } = call.arguments;
  const plain = typeof command === "string" ? plainName(command) : "";
  const name = Object.hasOwn(EDITOR_COMMANDS, plain) ? EDITOR_COMMANDS[plain] : undefined;
  if (name === undefined || !names.has(name)) return call;
  return { ...call, name, arguments: { ...args, ...(name === "read" ? linesOf(range) : {}) } };
}

/** The lines from and to, counted from 1; -1 is the last one. */
function linesOf(range: unknown): Record<string, unknown> {
  if (!Array.isArray(range)) return {};
  const [first, last]: unknown[] = range;
  if (typeof first !== "number") return {};
  return typeof last === "number" && last >= first ? { offset: first, limit: last - first + 1 } : { offset: first };
}

/** Returns a name without case, `_`, `-` and the like, which models write in several ways. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}

/** The length of the one name when it is a part of the other, such as `read` in `readmany`. */
function sharedLength(one: string, other: string): number {
  return one.includes(other) || other.includes(one) ? Math.min(one.length, other.length) : 0;
}
