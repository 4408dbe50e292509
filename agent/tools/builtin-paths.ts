import type { ToolPath } from "../protocol/host-tools.ts";

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
