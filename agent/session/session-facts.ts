import { type GitFacts, readGitFacts } from "../prompt/git-facts.ts";
import type { PermissionMode } from "../protocol/approvals.ts";
import type { AgentMessage, CustomMessage } from "../protocol/messages.ts";

const MODE_TEXTS: Record<PermissionMode, string> = {
  auto: "The user lets you change files and run commands without asking first.",
  confirm:
    "The user wants to be asked before you change files or run commands: say what you are about to do, and wait for an answer.",
  readonly: "The user wants you to change nothing: read and explain, but edit no files and run no commands that do.",
  "auto-edit":
    "The user lets you edit files of the project, but wants to be asked before you run commands that change something.",
};

/**
 * The facts about a session that the system prompt tells. They stay as they were when the session was opened, since every change of the
 * system prompt makes the provider read the whole conversation again. Changes are told by notes beside the user's messages.
 */
export class SessionFacts {
  readonly #cwd: string;
  readonly #now: () => Date;
  #date: string;
  #git: GitFacts | undefined;
  #reading: Promise<void> | undefined;

  /** @param now the clock; the day is that of the local time. */
  constructor(cwd: string, now: () => Date = () => new Date()) {
    this.#cwd = cwd;
    this.#now = now;
    this.#date = this.#today();
  }

  /** The day on which the session was opened, as `2026-11-21`. */
  get date(): string {
    return this.#date;
  }

  /** The repository at the first prompt; undefined before `load`. */
  get git(): GitFacts | undefined {
    return this.#git;
  }

  /** Finds out what takes time, once for each session. */
  load(): Promise<void> {
    this.#reading ??= readGitFacts(this.#cwd).then((git) => {
      this.#git = git;
    });
    return this.#reading;
  }

  /** Another session was opened. */
  renew(): void {
    this.#date = this.#today();
    this.#git = undefined;
    this.#reading = undefined;
  }

  /**
   * Returns notes about what the model does not know yet.
   * @param messages the conversation, with the notes so far.
   * @param wish the permission mode, if the model is asked to keep to it.
   */
  notes(messages: readonly AgentMessage[], wish: PermissionMode = "auto"): CustomMessage[] {
    const day = { customType: "date", known: dateText(this.#date), text: dateText(this.#today()) };
    const mode = { customType: "permission-mode", known: MODE_TEXTS.auto, text: MODE_TEXTS[wish] };
    return [day, mode].flatMap(({ customType, known, text }) => {
      const content = reminder(text);
      const told = messages.findLast((message) => message.role === "custom" && message.customType === customType);
      const isKnown = told?.role === "custom" ? told.content === content : known === text;
      return isKnown ? [] : [{ role: "custom", customType, content, display: false, timestamp: Date.now() }];
    });
  }

  #today(): string {
    const now = this.#now();
    const twoDigits = (number: number) => String(number).padStart(2, "0");
    return `${now.getFullYear()}-${twoDigits(now.getMonth() + 1)}-${twoDigits(now.getDate())}`;
  }
}

function dateText(date: string): string {
  return `Today is ${date}.`;
}

function reminder(text: string): string {
  return `<system-reminder>\n${text}\n</system-reminder>`;
}
