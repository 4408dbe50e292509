import type { PermissionMode } from "../../protocol/approvals.ts";
import type { AnyTool } from "../../tools/tool.ts";

/** The modes in which nothing may change. */
type KeptMode = "readonly" | "plan";

const MODE_NAMES: Record<KeptMode, string> = { readonly: "read-only mode", plan: "plan mode" };

/** True for our own shell: another tool of its name may run commands on another machine. */
export function isShell({ name, origin }: Pick<AnyTool, "name" | "origin">): boolean {
  return name === "bash" && origin === "builtin";
}

/** True when a tool is declared to change something, by itself or by one of its paths. */
export function mayChange({ isReadOnly, paths }: AnyTool): boolean {
  return !isReadOnly || paths?.some(({ access }) => access !== "read") === true;
}

/** True for a mode in which nothing may change, whatever rules there are. */
export function allowsNoChanges(mode: PermissionMode): mode is KeptMode {
  return mode === "readonly" || mode === "plan";
}

/** Says why a call doesn't run in such a mode. */
export function refusedInMode(toolName: string, mode: KeptMode): string {
  return `${toolName} is not allowed in ${MODE_NAMES[mode]}`;
}
