import type { PermissionMode } from "../protocol/approvals.ts";
import type { AnyTool } from "../tools/tool.ts";
import type { ContextFile } from "./context-files.ts";
import { type ListedSkill, skillSection } from "./skill-text.ts";

/** As much of a tool as the system prompt tells. */
export type PromptTool = Pick<AnyTool, "name" | "promptSnippet" | "promptGuidelines">;

/** Everything the system prompt is made of. */
export interface SystemPromptParts {
  tools: readonly PromptTool[];
  /** Advice beside that of the tools. */
  guidelines?: readonly string[] | undefined;
  /** More sections for the end, by the name of the tag around them. */
  sections?: Readonly<Record<string, string>> | undefined;
  cwd: string;
  /** The day, as `2026-11-21`: a finer time would spoil the provider's cache on every request. */
  date: string;
  contextFiles: readonly ContextFile[];
  /** Resources that the model may read if a task needs them. */
  skills: readonly ListedSkill[];
  /** Replaces the opening and the advice; project facts still follow. */
  custom: string | undefined;
  appended: readonly string[];
  /** Language that the user wants answers in, a BCP 47 tag. */
  locale: string | undefined;
  /** The user's preference, if approvals don't enforce it. */
  permissionHint: PermissionMode | undefined;
}

const OPENING = `You are Tiller, a coding agent that works in the user's project from inside their editor. You read files, run commands, change code and say what you did.`;

const ADVICE = [
  "Look before you change: read a file before you edit it, and follow the conventions that you find there.",
  "Do what was asked, wholly, and nothing beside it. Ask when a choice is the user's to make.",
  "Check your work by running what the project has for that: its tests, its type checker, its linter.",
  "Be short. Name files by their path, with a line number where it helps.",
  "When a tool call is blocked, do not try the same by another way: say what you wanted and why.",
];

const HINTS: Record<PermissionMode, string | undefined> = {
  auto: undefined,
  confirm:
    "The user prefers to be asked before you change files or run commands: say what you are about to do and wait.",
  readonly:
    "The user prefers that you change nothing: read and explain, but do not edit files or run commands that do.",
  "auto-edit":
    "The user lets you edit files of the project, and prefers to be asked before you run commands that change something.",
};

/** Builds the system prompt: a pure function of its parts. */
export function systemPrompt(parts: SystemPromptParts): string {
  const sections = [
    parts.custom ?? [OPENING, toolList(parts.tools), adviceList(parts)].filter((text) => text !== "").join("\n\n"),
    ...parts.appended,
    contextSection(parts.contextFiles),
    skillSection(parts.skills),
    preferences(parts),
    `Working directory: ${parts.cwd}\nDate: ${parts.date}`,
    ...Object.entries(parts.sections ?? {}).map(([name, text]) =>
      text === "" ? "" : `<${name}>\n${text}\n</${name}>`,
    ),
  ];
  return sections.filter((section) => section !== "").join("\n\n");
}

/** The model is told of every tool beside the prompt; here stand those that it should think of first. */
function toolList(tools: readonly PromptTool[]): string {
  if (tools.length === 0) return "You have no tools in this conversation.";
  const lines = tools.flatMap(({ name, promptSnippet }) => (promptSnippet ? [`- ${name}: ${promptSnippet}`] : []));
  return lines.length === 0 ? "" : ["Your tools, beside others:", ...lines].join("\n");
}

function adviceList({ tools, guidelines = [] }: SystemPromptParts): string {
  const lines = [...ADVICE, ...tools.flatMap(({ promptGuidelines }) => promptGuidelines ?? []), ...guidelines];
  return ["How to work:", ...[...new Set(lines)].map((line) => `- ${line}`)].join("\n");
}

function contextSection(files: readonly ContextFile[]): string {
  if (files.length === 0) return "";
  const blocks = files.map(({ path, text }) => `<instructions path="${path}">\n${text.trim()}\n</instructions>`);
  return ["The project and its user ask you to keep to these instructions:", ...blocks].join("\n\n");
}

function preferences({ locale, permissionHint }: SystemPromptParts): string {
  const lines = [
    locale === undefined ? undefined : `Answer in the language of the locale "${locale}".`,
    permissionHint === undefined ? undefined : HINTS[permissionHint],
  ];
  return lines.filter((line) => line !== undefined).join("\n");
}
