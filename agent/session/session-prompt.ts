import { draftPrompt, type PromptDraft } from "../prompt/prompt-draft.ts";
import { type SystemPromptParts, systemPrompt } from "../prompt/system-prompt.ts";
import { EDITOR_LINK_TOOLS } from "../protocol/host-tools.ts";
import type { AgentMessage, CustomMessage } from "../protocol/messages.ts";
import { shellHint, shellName } from "../tools/shell-language.ts";
import type { AnyTool } from "../tools/tool.ts";
import { SessionFacts } from "./session-facts.ts";
import type { SessionModes, SessionOptions } from "./session-options.ts";

const PLATFORMS: Partial<Record<NodeJS.Platform, string>> = { linux: "Linux", darwin: "macOS", win32: "Windows" };

/** The system prompt of a session: tools, skills, and settings change while the agent runs. */
export class SessionPrompt {
  readonly #options: SessionOptions;
  readonly #modes: SessionModes;
  readonly #declared: () => ReadonlyMap<string, AnyTool>;
  readonly #facts: SessionFacts;

  /** @param declared returns the tools that the next request declares. */
  constructor(options: SessionOptions, modes: SessionModes, declared: () => ReadonlyMap<string, AnyTool>) {
    this.#options = options;
    this.#modes = modes;
    this.#declared = declared;
    this.#facts = new SessionFacts(options.cwd);
  }

  /** Returns the prompt as it is now; before `load`, without the facts that take time to find out. */
  text(): string {
    return systemPrompt(this.#parts());
  }

  /** Begins a prompt that may be changed. */
  draft(): PromptDraft {
    return draftPrompt(this.#parts());
  }

  /** Finds out the facts that take time; once for each session. */
  load(): Promise<void> {
    return this.#facts.load();
  }

  /** Another session was opened. */
  renew(): void {
    this.#facts.renew();
  }

  /** Returns what the model has to be told beside the next message. @param messages the conversation so far. */
  notes(messages: readonly AgentMessage[]): CustomMessage[] {
    const { mode, isEnforced } = this.#modes.permission;
    return this.#facts.notes(messages, isEnforced && mode !== "plan" && mode !== "sandboxed" ? undefined : mode);
  }

  #parts(): SystemPromptParts {
    const { prompt, instructions, tools, skills, shell, isHeadless } = this.#options;
    const hasEditor = tools.isHostTool(EDITOR_LINK_TOOLS.buffer);
    return {
      ...prompt,
      contextFiles: instructions.always,
      rules: instructions.described,
      place: isHeadless ? "headless" : hasEditor ? "editor" : "host",
      tools: [...this.#declared().values()],
      skills: skills.current.filter(({ isForModel }) => isForModel),
      platform: PLATFORMS[process.platform] ?? process.platform,
      shell: shellHint(shell.shellPath)?.name ?? shellName(shell.shellPath ?? "bash"),
      date: this.#facts.date,
      git: this.#facts.git,
      locale: this.#modes.locale,
    };
  }
}
