import { t } from "../../../webview/l10n.ts";
import type { HostTool } from "./host-tool.ts";
import type { HostToolSet, ToolTier } from "./host-tool-set.ts";
import type { ToolNeed } from "./tool-needs.ts";

/** A tool as it is listed for the user. */
export interface ToolRow {
  readonly name: string;
  readonly label: string;
  /** Its name, how it is asked for, and why it is not available now, if that is so. */
  readonly state: string;
  /** The description of the tool. */
  readonly detail: string;
}

/** A group of related tools. */
interface ToolGroup {
  readonly title: string;
  readonly rows: readonly ToolRow[];
}

type Family = "editor" | "code" | "files" | "run" | "debug" | "git" | "notebook" | "others";

/** The first match counts. */
const FAMILIES: readonly (readonly [RegExp, Family])[] = [
  [/^(?!vscode_)/, "others"],
  [/git/, "git"],
  [/notebook|cell/, "notebook"],
  [/debug|breakpoint/, "debug"],
  [/task|test|terminal|run_command/, "run"],
  [/find_files|search_text|apply_edit|_file$|save|revert/, "files"],
  [/symbol|definition|references|hierarchy|hover|code_action|format|tidy|diagnostics/, "code"],
];

const ORDER: readonly Family[] = ["editor", "code", "files", "run", "debug", "git", "notebook", "others"];

/** Groups all tools that the user may switch on and off by their purpose. */
export function toolGroups(hostTools: HostToolSet): ToolGroup[] {
  const tools = hostTools.everything.filter(({ definition }) => definition.hidden !== true);
  return ORDER.map((family) => ({
    title: familyTitle(family),
    rows: tools.filter(({ definition }) => familyOf(definition.name) === family).map((tool) => row(tool, hostTools)),
  })).filter(({ rows }) => rows.length > 0);
}

/** Returns the names of the disabled tools when only `wanted` of those in `listed` are on; a tool that is not listed now stays as it was. */
export function namesOff(before: readonly string[], listed: readonly string[], wanted: readonly string[]): string[] {
  const away = before.filter((name) => !listed.includes(name));
  return [...away, ...listed.filter((name) => !wanted.includes(name))];
}

function familyOf(name: string): Family {
  // `vscode_open_file` only shows a file.
  if (name === "vscode_open_file") return "editor";
  return FAMILIES.find(([pattern]) => pattern.test(name))?.[1] ?? "editor";
}

function familyTitle(family: Family): string {
  const titles: Record<Family, string> = {
    editor: t("Editor and questions"),
    code: t("Code"),
    files: t("Files"),
    run: t("Tasks, tests, terminal, and commands"),
    debug: t("Debugger"),
    git: t("Git"),
    notebook: t("Notebooks"),
    others: t("Other extensions and MCP servers"),
  };
  return titles[family];
}

function row(tool: HostTool, hostTools: HostToolSet): ToolRow {
  const { name, label, description } = tool.definition;
  const missing = tool.need === undefined || hostTools.isThere(tool.need) ? [] : [wordMissing(tool.need)];
  return {
    name,
    label: label ?? name,
    state: [name, wordAsked(tool, hostTools), ...missing].join(" · "),
    detail: description,
  };
}

function wordAsked({ definition }: HostTool, hostTools: HostToolSet): string {
  const tier = hostTools.tier(definition.name);
  if (tier !== undefined) return t("{0} (set by you)", wordTier(tier));
  if (definition.readOnly === true) return wordTier("free");
  return definition.approval === "edit" ? t("needs approval like an edit") : wordTier(definition.approval ?? "ask");
}

function wordTier(tier: ToolTier): string {
  const words: Record<ToolTier, string> = {
    free: t("no approval needed"),
    ask: t("needs approval"),
    always: t("always needs approval"),
  };
  return words[tier];
}

function wordMissing(need: ToolNeed): string {
  const words: Record<ToolNeed, string> = {
    git: t("unavailable: no Git repository"),
    tasks: t("unavailable: no tasks"),
    debugger: t("unavailable: no launch configuration or breakpoint"),
    tests: t("unavailable: no test extension"),
    notebook: t("unavailable: no notebook"),
    allowedCommands: t("unavailable: the settings allow no commands"),
  };
  return words[need];
}
