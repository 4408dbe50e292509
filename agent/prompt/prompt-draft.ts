import { dirname } from "node:path";
import * as z from "zod";
import type { SystemPromptOptions } from "./prompt-options.ts";
import { type SystemPromptParts, systemPrompt } from "./system-prompt.ts";

/** A system prompt that is still being written. */
export interface PromptDraft {
  readonly options: SystemPromptOptions;
  /** The prompt as the options are now. What was put into them and makes no sense is left out. */
  text(): string;
}

const SECTION_NAME = /^[a-z][a-z0-9_-]*$/;

const text = z.lazy(() => z.string().optional().catch(undefined));
const texts = z.lazy(() => z.array(z.string()).catch([]));

/** Options after code of others had them in its hands. */
const ReadOptions = z.lazy(() =>
  z.object({
    customPrompt: text,
    forceSystemPrompt: text,
    selectedTools: texts,
    toolSnippets: z.record(z.string(), z.string().catch("")).catch({}),
    toolGuidelines: z.record(z.string(), texts).catch({}),
    promptGuidelines: texts,
    appendSystemPrompt: z.string().catch(""),
    sections: z.record(z.string(), z.string().catch("")).catch({}),
    cwd: text,
    contextFiles: z.array(z.object({ path: z.string(), content: z.string() })).catch([]),
    skills: z.array(z.object({ name: z.string(), description: z.string(), filePath: z.string() })).catch([]),
  }),
);

/** Begins a system prompt from its parts. */
export function draftPrompt(parts: SystemPromptParts): PromptDraft {
  const options = toOptions(parts);
  return { options, text: () => render(parts, options) };
}

function toOptions(parts: SystemPromptParts): SystemPromptOptions {
  const { tools } = parts;
  return {
    customPrompt: parts.custom,
    forceSystemPrompt: undefined,
    selectedTools: tools.map(({ name }) => name),
    toolSnippets: Object.fromEntries(
      tools.flatMap(({ name, promptSnippet }) => (promptSnippet === undefined ? [] : [[name, promptSnippet]])),
    ),
    toolGuidelines: Object.fromEntries(tools.map(({ name, promptGuidelines = [] }) => [name, [...promptGuidelines]])),
    promptGuidelines: [...(parts.guidelines ?? [])],
    appendSystemPrompt: parts.appended.join("\n\n"),
    sections: { ...parts.sections },
    cwd: parts.cwd,
    contextFiles: parts.contextFiles.map((file) => ({ path: file.path, content: file.text })),
    skills: parts.skills.map(({ name, description, path }) => ({
      name,
      description,
      filePath: path,
      baseDir: dirname(path),
      disableModelInvocation: false,
    })),
  };
}

function render(parts: SystemPromptParts, options: SystemPromptOptions): string {
  const read = ReadOptions.parse(options);
  if (read.forceSystemPrompt !== undefined) return read.forceSystemPrompt;
  const names = new Set(parts.tools.map(({ name }) => name));
  return systemPrompt({
    ...parts,
    custom: read.customPrompt,
    tools: read.selectedTools.flatMap((name) => {
      if (!names.has(name)) return [];
      const promptSnippet = read.toolSnippets[name] || undefined;
      return [{ name, promptSnippet, promptGuidelines: read.toolGuidelines[name] }];
    }),
    guidelines: read.promptGuidelines,
    appended: [read.appendSystemPrompt],
    sections: Object.fromEntries(Object.entries(read.sections).filter(([name]) => SECTION_NAME.test(name))),
    cwd: read.cwd ?? parts.cwd,
    contextFiles: read.contextFiles.map(({ path, content }) => ({ path, text: content })),
    skills: read.skills.map(({ name, description, filePath }) => ({ name, description, path: filePath })),
  });
}
