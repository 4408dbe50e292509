import type { ContextAttachment } from "../../protocol/context.ts";

/** The codicon of a resource of an MCP server. */
export const RESOURCE_ICON = "database";

/** The codicon of each kind of chip. */
const ICONS = {
  problems: "warning",
  selection: "list-selection",
  lines: "list-selection",
  terminal: "terminal",
  git: "git-compare",
  task: "tasklist",
  debug: "debug-alt",
  symbol: "symbol-method",
  file: "file",
  resource: RESOURCE_ICON,
  pasted: "note",
  missing: "circle-slash",
} as const;

/** The name of a codicon for a chip: by what it holds, else by where that comes from. */
export function contextIcon({ source, fixed }: Pick<ContextAttachment, "source" | "fixed">): string {
  if (fixed !== undefined) return ICONS[fixed.meta.kind];
  return source.kind === "sent" ? "file" : ICONS[source.kind];
}
