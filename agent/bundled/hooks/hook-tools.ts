import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";

/** Claude Code's names of the built-in tools. */
const CLAUDE_NAMES = new Map([
  ["bash", "Bash"],
  ["read", "Read"],
  ["write", "Write"],
  ["edit", "Edit"],
  ["grep", "Grep"],
  ["find", "Glob"],
  ["ls", "LS"],
  ["todo_write", "TodoWrite"],
  ["web_fetch", "WebFetch"],
  ["web_search", "WebSearch"],
]);
/** Tools whose path Claude Code calls `file_path`. */
const WITH_FILE_PATH = new Set(["read", "write", "edit"]);
const OneEdit = z.object({
  path: z.string(),
  edits: z.tuple([z.looseObject({ oldText: z.string(), newText: z.string() })]),
});
const WithPath = z.object({ path: z.string() });

type Fields = Record<string, unknown>;

/** Returns the name of a tool as hooks see it. */
export function hookToolName(name: string): string {
  return CLAUDE_NAMES.get(name) ?? name;
}

/** Returns the names that a matcher may use for a tool. */
export function matchedNames(name: string): string[] {
  return [...new Set([name, hookToolName(name)])];
}

/** Returns arguments as hooks see them: ours, and besides them what Claude Code calls them. */
export function hookInput(tool: string, input: Fields, cwd: string): Fields {
  return { ...input, ...otherNames(tool, input, cwd) };
}

/**
 * Returns our arguments for those that a hook gives in their place. A changed argument counts by either name, and its
 * other name goes.
 * @param sent what the hook received.
 */
export function inputFromHook(tool: string, updated: Fields, sent: Fields, cwd: string): Fields {
  const input = { ...updated };
  const given = otherNames(tool, sent, cwd);
  const changed = (name: string) => Object.hasOwn(updated, name) && !isDeepStrictEqual(updated[name], given[name]);
  for (const name of Object.keys(given)) delete input[name];
  const path = changed("file_path") || !Object.hasOwn(updated, "path") ? updated.file_path : undefined;
  if (Object.hasOwn(given, "file_path") && path !== undefined) input.path = path;
  const [edit] = OneEdit.safeParse(sent).data?.edits ?? [];
  if (edit !== undefined && (changed("old_string") || changed("new_string") || !Object.hasOwn(updated, "edits"))) {
    const { old_string = edit.oldText, new_string = edit.newText } = updated;
    input.edits = [{ ...edit, oldText: old_string, newText: new_string }];
  }
  return input;
}

function otherNames(tool: string, input: Fields, cwd: string): Fields {
  if (!WITH_FILE_PATH.has(tool)) return {};
  const path = WithPath.safeParse(input).data?.path;
  const [edit] = tool === "edit" ? (OneEdit.safeParse(input).data?.edits ?? []) : [];
  return {
    ...(path === undefined ? {} : { file_path: resolve(cwd, path) }),
    ...(edit === undefined ? {} : { old_string: edit.oldText, new_string: edit.newText }),
  };
}
