const ICONS: Record<string, string> = {
  bash: "terminal",
  read: "file",
  write: "new-file",
  edit: "edit",
  grep: "search",
  find: "search",
  ls: "list-unordered",
  todo_write: "tasklist",
  ask_user: "question",
};

/** The codicon of a tool. */
export function toolIcon(toolName: string): string {
  const own = Object.hasOwn(ICONS, toolName) ? ICONS[toolName] : undefined;
  return own ?? (toolName.startsWith("vscode_") ? "window" : "tools");
}
