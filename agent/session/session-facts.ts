import { type GitFacts, readGitFacts } from "../prompt/git-facts.ts";
import type { PermissionMode } from "../protocol/approvals.ts";
import type { AgentMessage, CustomMessage } from "../protocol/messages.ts";

const MODE_TEXTS: Record<PermissionMode, string> = {
  auto: "The user lets you change files and run commands without asking first.",
  confirm:
    "The user wants to be asked before you change files or run commands that change something: say what you are about to do, and wait for an answer.",
  readonly: "The user wants you to change nothing: read and explain, but edit no files and run no commands that do.",
  "auto-edit":
    "The user lets you edit files of the project, but wants to be asked before you run commands that change something.",
  sandboxed:
    "The user lets you edit files of the project and run commands without being asked. Commands run in a sandbox: they can write in the project and in a /tmp of their own, which your other tools don't see, but nowhere else; they see no secrets, and reach only hosts that the user allows. The result says what the sandbox refused: don't try to get around it.",
  plan: "The user wants a plan first. Change nothing: read, search, and run only commands that read. If something is open that only the user can decide, ask with ask_user, one question at a time. Then answer with the plan as Markdown: a heading, what changes and why, and the steps as a checklist whose lines begin with \"- [ ] \". Don't carry out the plan and don't ask whether to: the user reads it, changes it, and starts it.",
};
const AFTER_PLAN =
  "The user no longer wants only a plan: you may change files and run commands, as far as you are allowed to.";
const AFTER_SANDBOX = "Commands no longer run in the sandbox: the user may be asked before they run.";
/** The type of the notes that tell the model the permission mode. */
export const MODE_NOTE = "permission-mode";

/** True if a note tells the model to make a plan. */
export function isPlanModeNote({ customType, content }: Pick<CustomMessage, "customType" | "content">): boolean {
  return customType === MODE_NOTE && content === reminder(MODE_TEXTS.plan);
}

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
   * @param wish the permission mode, if the model is asked to keep to it; undefined if the mode is enforced and needs no help of the model.
   */
  notes(messages: readonly AgentMessage[], wish?: PermissionMode): CustomMessage[] {
    const modeText = wish === undefined ? afterMode(messages) : MODE_TEXTS[wish];
    return [
      ...noteUnlessKnown(messages, { customType: "date", known: dateText(this.#date), text: dateText(this.#today()) }),
      ...(modeText === undefined
        ? []
        : noteUnlessKnown(messages, { customType: MODE_NOTE, known: MODE_TEXTS.auto, text: modeText })),
    ];
  }

  #today(): string {
    const now = this.#now();
    const twoDigits = (number: number) => String(number).padStart(2, "0");
    return `${now.getFullYear()}-${twoDigits(now.getMonth() + 1)}-${twoDigits(now.getDate())}`;
  }
}

/** Returns a note with a text, unless it is what the model was last told in notes of this type, or has known from the beginning. */
export function noteUnlessKnown(
  messages: readonly AgentMessage[],
  { customType, known, text }: { customType: string; known: string; text: string },
): CustomMessage[] {
  const content = reminder(text);
  const told = lastNote(messages, customType);
  const isKnown = told === undefined ? known === text : told.content === content;
  return isKnown ? [] : [{ role: "custom", customType, content, display: false, timestamp: Date.now() }];
}

/** Returns the text for a mode that the model isn't told of, if it was last told of one that no longer applies. */
function afterMode(messages: readonly AgentMessage[]): string | undefined {
  const told = lastNote(messages, MODE_NOTE);
  if (told === undefined) return undefined;
  if (isPlanModeNote(told)) return AFTER_PLAN;
  return told.content === reminder(MODE_TEXTS.sandboxed) ? AFTER_SANDBOX : undefined;
}

function lastNote(messages: readonly AgentMessage[], customType: string): CustomMessage | undefined {
  const told = messages.findLast((message) => message.role === "custom" && message.customType === customType);
  return told?.role === "custom" ? told : undefined;
}

function dateText(date: string): string {
  return `Today is ${date}.`;
}

function reminder(text: string): string {
  return `<system-reminder>\n${text}\n</system-reminder>`;
}
