import type { SlashCommand } from "../../agent/protocol/commands.ts";
import type { PanelCommand } from "../../webview/protocol/ui.ts";

/** Maximum age of a cached list, in milliseconds. */
const FRESH_MS = 2_000;
/** Maximum number of commands sent to the page. */
const MAX_COMMANDS = 1_000;
/** Maximum length of a description or hint, in UTF-16 units. */
const MAX_TEXT_CHARS = 300;

/** The slash commands of the running agent, read again when the last list is older than two seconds. */
export class SlashCommands {
  readonly #ask: () => Promise<readonly SlashCommand[]>;
  readonly #now: () => number;
  #cached: { readonly at: number; readonly commands: Promise<PanelCommand[]> } | undefined;

  /** @param ask reads the agent's list. */
  constructor(ask: () => Promise<readonly SlashCommand[]>, now: () => number = Date.now) {
    this.#ask = ask;
    this.#now = now;
  }

  /** Forgets the last list, because the agent's commands may have changed. */
  refresh(): void {
    this.#cached = undefined;
  }

  /** Rejects when the agent cannot be asked; the next call tries again. */
  list(): Promise<PanelCommand[]> {
    const now = this.#now();
    if (this.#cached !== undefined && now - this.#cached.at < FRESH_MS) return this.#cached.commands;
    const commands = this.#ask().then(panelCommands);
    const cached = { at: now, commands };
    this.#cached = cached;
    commands.catch(() => {
      if (this.#cached === cached) this.#cached = undefined;
    });
    return commands;
  }
}

/** Templates come first, then skills, then commands of extensions. */
const ORDER = ["prompt", "skill", "extension"] as const;

function panelCommands(commands: readonly SlashCommand[]): PanelCommand[] {
  // A name with a blank could not be told from its arguments.
  const usable = commands.filter(({ name }) => /^\S{1,200}$/.test(name));
  const sorted = ORDER.flatMap((source) => usable.filter((command) => command.source === source));
  return sorted.slice(0, MAX_COMMANDS).map(({ name, description = "", argumentHint = "", source, location }) => ({
    name,
    description: oneLine(description),
    argumentHint: oneLine(argumentHint),
    source: location === "project" || location === "user" ? `${source}, ${location}` : source,
  }));
}

function oneLine(text: string): string {
  return text.slice(0, MAX_TEXT_CHARS).replace(/\s+/g, " ").trim();
}
