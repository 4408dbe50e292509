import type { HostToolDefinition } from "../../../agent/protocol/host-tools.ts";
import type { HostTool } from "../../host/host-tools/host-tool.ts";

/**
 * The editor tools that are offered to other agents in the editor: those that only read, and show nothing. The manifest lists them under their other
 * names; `npm run offered-tools` writes it.
 */
const OFFERED = [
  "vscode_get_diagnostics",
  "vscode_document_symbols",
  "vscode_workspace_symbols",
  "vscode_find_definition",
  "vscode_find_references",
  "vscode_call_hierarchy",
  "vscode_type_hierarchy",
  "vscode_hover",
  "vscode_find_files",
  "vscode_search_text",
  "vscode_editor_state",
  "vscode_get_selection",
  "vscode_git",
  "vscode_read_notebook",
  "vscode_debug_state",
  "vscode_list_tasks",
];

/** The offered tools, by their public names, each with our own name. */
export const OFFERED_TOOLS: ReadonlyMap<string, string> = new Map(OFFERED.map((own) => [offeredName(own), own]));

/** An entry of `contributes.languageModelTools`. */
export interface OfferedEntry {
  readonly name: string;
  readonly tags: readonly string[];
  readonly displayName: string;
  readonly modelDescription: string;
  readonly userDescription: string;
  readonly toolReferenceName: string;
  readonly canBeReferencedInPrompt: true;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** Returns the manifest's entry of an offered tool. Texts for people are keys there; texts for models are English. */
export function offeredEntry({ name, description, parameters }: HostToolDefinition): OfferedEntry {
  const plain = camelCase(name.replace(/^vscode_/, ""));
  return {
    name: offeredName(name),
    tags: ["tiller"],
    displayName: `%tool.${plain}%`,
    modelDescription: withOfferedNames(description) + aboutPaths(parameters),
    userDescription: `%tool.${plain}.description%`,
    toolReferenceName: `tiller${plain.charAt(0).toUpperCase()}${plain.slice(1)}`,
    canBeReferencedInPrompt: true,
    inputSchema: parameters,
  };
}

/** @throws Error if the tool does not exist, which a test excludes. */
export function findOffered(tools: readonly HostTool[], own: string): HostTool {
  const tool = tools.find(({ definition }) => definition.name === own);
  if (tool === undefined) throw new Error(`There is no tool "${own}".`);
  return tool;
}

/** Replaces the names of offered tools in a text for a model by their public ones. */
export function withOfferedNames(text: string): string {
  return text.replace(/\bvscode_\w+/g, (name) => (OFFERED.includes(name) ? offeredName(name) : name));
}

function offeredName(own: string): string {
  return own.replace(/^vscode_/, "tiller_");
}

/** Returns a note about paths, which our own agent gets elsewhere. */
function aboutPaths({ properties }: Readonly<Record<string, unknown>>): string {
  const hasPath = typeof properties === "object" && properties !== null && "path" in properties;
  return hasPath ? " Paths are absolute, or relative to the first folder of the workspace." : "";
}

function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
