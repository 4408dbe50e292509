import type { ToolPath } from "../protocol/host-tools.ts";
import { resolveExistingPath, resolveNewPath } from "../util/existing-path.ts";

const READING: ToolPath[] = [{ argument: "path", access: "read" }];

/** The arguments of the built-in tools that are paths, by tool. Tools that take the place of a built-in one are judged by the same. */
export const BUILTIN_PATHS = {
  read: READING,
  grep: READING,
  find: READING,
  ls: READING,
  write: [{ argument: "path", access: "write" }],
  // It shows lines around what it changes.
  edit: [{ argument: "path", access: "write" }, ...READING],
} satisfies Record<string, ToolPath[]>;

/** Returns the absolute path that a built-in tool uses for a path of its arguments. Approvals judge the same. */
export function locatePath(tool: string, cwd: string, path: string): Promise<string> {
  return tool === "write" ? resolveNewPath(cwd, path) : resolveExistingPath(cwd, path);
}
