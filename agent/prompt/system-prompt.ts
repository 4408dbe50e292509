import type { AnyTool } from "../tools/tool.ts";
import { adviceText, openingText, type Place } from "./advice.ts";
import type { DescribedRule } from "./editor-rules.ts";
import type { GitFacts } from "./git-facts.ts";
import { type InstructionFile, instructionBlock } from "./instruction-file.ts";
import { escapeMarkup, type ListedSkill, skillSection } from "./skill-text.ts";

/** As much of a tool as the system prompt tells. */
export type PromptTool = Pick<AnyTool, "name" | "promptSnippet" | "promptGuidelines">;

/** Everything the system prompt is made of. */
export interface SystemPromptParts {
  /** Where the user sees the agent. */
  place: Place;
  tools: readonly PromptTool[];
  /** Advice beside that of the tools. */
  guidelines?: readonly string[] | undefined;
  /** More sections for the end, by the name of the tag around them. */
  sections?: Readonly<Record<string, string>> | undefined;
  cwd: string;
  /** The name of the operating system. */
  platform: string;
  /** The shell that runs commands. */
  shell: string;
  /** The day that the session began on, as `2026-11-21`: every change of the prompt makes the provider read all of it again. */
  date: string;
  /** The repository when the session began; undefined if it is not known, or there is none. */
  git: GitFacts | undefined;
  contextFiles: readonly Pick<InstructionFile, "path" | "text">[];
  /** Instructions that the model reads if a task needs them. */
  rules?: readonly DescribedRule[] | undefined;
  /** Resources that the model may read if a task needs them. */
  skills: readonly ListedSkill[];
  /** Replaces the opening and the advice; project facts still follow. */
  custom: string | undefined;
  appended: readonly string[];
  /** Language that the user wants answers in, a BCP 47 tag. */
  locale: string | undefined;
}

/** Builds the system prompt: a pure function of its parts. */
export function systemPrompt(parts: SystemPromptParts): string {
  const sections = [
    parts.custom ?? ownText(parts),
    ...parts.appended,
    contextSection(parts.contextFiles),
    ruleSection(parts.rules ?? []),
    skillSection(parts.skills),
    parts.locale === undefined ? "" : `Answer in the language of the locale "${parts.locale}".`,
    factsSection(parts),
    ...Object.entries(parts.sections ?? {}).map(([name, text]) =>
      text === "" ? "" : `<${name}>\n${text}\n</${name}>`,
    ),
  ];
  return sections.filter((section) => section !== "").join("\n\n");
}

function ownText(parts: SystemPromptParts): string {
  const runsCommands = parts.tools.some(({ name }) => name === "bash");
  return [openingText(parts.place), toolSection(parts), adviceText(runsCommands, parts.place)].join("\n\n");
}

/** The model gets the definitions of all tools beside the prompt; this section names those that it should think of first. */
function toolSection({ tools, guidelines = [] }: SystemPromptParts): string {
  const snippets = tools.flatMap(({ name, promptSnippet }) => (promptSnippet ? [`- ${name}: ${promptSnippet}`] : []));
  const advice = new Set([...tools.flatMap(({ promptGuidelines }) => promptGuidelines ?? []), ...guidelines]);
  const lines = [
    ...(tools.length === 0 ? ["You have no tools in this conversation."] : []),
    ...(snippets.length === 0 ? [] : ["Your main tools; you may have others:", ...snippets, ""]),
    ...[...advice].map((line) => `- ${line}`),
  ];
  return ["# Tools", ...lines].join("\n").trimEnd();
}

function contextSection(files: SystemPromptParts["contextFiles"]): string {
  if (files.length === 0) return "";
  return ["The user and the project ask you to follow these instructions:", ...files.map(instructionBlock)].join(
    "\n\n",
  );
}

function ruleSection(rules: readonly DescribedRule[]): string {
  if (rules.length === 0) return "";
  const lines = rules.map(
    ({ path, description }) => `<rule path="${escapeMarkup(path)}">${escapeMarkup(description)}</rule>`,
  );
  return ["When a task fits one of these rules of the project, read its file first and follow it.", ...lines].join(
    "\n",
  );
}

function factsSection({ cwd, platform, shell, date, git }: SystemPromptParts): string {
  return [
    `Working directory: ${cwd}`,
    `Platform: ${platform}; shell: ${shell}`,
    `Date: ${date}`,
    ...(git === undefined ? [] : [gitLine(git)]),
  ].join("\n");
}

function gitLine({ branch, changedFiles }: GitFacts): string {
  const place = branch === undefined ? "no branch is checked out" : `branch ${branch}`;
  const changes =
    changedFiles === 0 ? "no changed files" : changedFiles === 1 ? "1 changed file" : `${changedFiles} changed files`;
  return `Git when the session began: ${place}, ${changes}`;
}
