import { stat } from "node:fs/promises";
import type { AnyTool } from "../tools/tool.ts";
import { resolveExistingPath } from "../util/existing-path.ts";
import { looksLikeAddress, resolvePath } from "../util/paths.ts";

/** A call that ran. */
export interface RanCall {
  tool: Pick<AnyTool, "name" | "origin" | "paths" | "command">;
  args: unknown;
}

/** A file or folder that is there. */
export interface TouchedPath {
  path: string;
  isFolder: boolean;
}

const MAX_PATHS = 100;
const MAX_PATH_LENGTH = 1000;

/** Returns what a call has come to: the files and folders that its tool declares as paths, and those that its command names. */
export async function touchedPaths({ tool, args }: RanCall, cwd: string): Promise<TouchedPath[]> {
  const isShell = tool.name === "bash" && tool.origin === "builtin";
  const [folder] = isShell ? textsAt(args, "cwd") : [];
  const base = folder === undefined ? cwd : resolvePath(cwd, folder);
  const command = isShell ? "command" : tool.command;
  const declared = (tool.paths ?? []).flatMap(({ argument }) => textsAt(args, argument));
  const words = command === undefined ? [] : textsAt(args, command).flatMap((text) => text.split(/[\s;&|<>()'"`=]+/));
  const found = new Map<string, TouchedPath>();
  const add = async (path: string) => {
    const stats = await stat(path).catch(() => undefined); // a word need not be a path
    if (stats !== undefined) found.set(path, { path, isFolder: stats.isDirectory() });
  };
  if (folder !== undefined) await add(base);
  for (const path of usable(declared)) await add(await resolveExistingPath(cwd, path));
  for (const word of usable(words)) await add(resolvePath(base, word));
  return [...found.values()];
}

function usable(named: readonly string[]): string[] {
  const fitting = named.filter((text) => text !== "" && text.length <= MAX_PATH_LENGTH && !looksLikeAddress(text));
  return [...new Set(fitting)].slice(0, MAX_PATHS);
}

/** Returns the texts at `edits[].path` and the like. */
function textsAt(args: unknown, argument: string): string[] {
  let values: unknown[] = [args];
  for (const step of argument.split(".")) {
    const name = step.replace(/\[\]$/, "");
    values = values.flatMap((value) => (typeof value === "object" && value !== null ? [Reflect.get(value, name)] : []));
    if (name !== step) values = values.flatMap((value) => (Array.isArray(value) ? value : []));
  }
  return values.filter((value) => typeof value === "string");
}
