/** The parts of a system prompt, in the form that authors know from pi. All of them may be changed. */
export interface SystemPromptOptions {
  /** Stands in place of the opening, the tools and the advice. */
  customPrompt?: string | undefined;
  /** Stands in place of everything. */
  forceSystemPrompt?: string | undefined;
  /** Names of the tools that the prompt tells of, in order. */
  selectedTools: string[];
  /** A line about a tool, by its name. */
  toolSnippets: Record<string, string>;
  /** Advice that comes with a tool, by its name. */
  toolGuidelines: Record<string, string[]>;
  /** More advice. */
  promptGuidelines: string[];
  appendSystemPrompt: string;
  /** More sections, by the name of the tag around them. */
  sections: Record<string, string>;
  cwd: string;
  contextFiles: { path: string; content: string }[];
  skills: { name: string; description: string; filePath: string; baseDir: string; disableModelInvocation: boolean }[];
}
