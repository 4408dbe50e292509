import type { Consent, ConsentFile } from "../../config/consents.ts";
import { visibleLine } from "../../util/visible-text.ts";
import type { ExtensionUi } from "../api-ui.ts";
import type { HostUi } from "../ui.ts";

const ALLOW = "Allow";
const DENY = "Don't Allow";
const MAX_LINE_CHARS = 2000;
const KIND_WORDS = { extension: "extension", mcp: "MCP server", hooks: "hook file" } as const;

/** An extension, an MCP server, or a file with hooks of a project, as it is defined now. */
export interface ConsentSubject extends Pick<Consent, "kind" | "name" | "hash" | "runs"> {
  /** More that the user sees before deciding, a line each. */
  details: readonly string[];
}

interface DeskOptions {
  file: ConsentFile;
  /** True when the user is asked. For hosts of other dialects, trusting the project is the consent. */
  isAsking: boolean;
  /** Writes a message for people to stderr. */
  warn(message: string): void;
}

type Kind = Consent["kind"];

/** Resolves when the decision has taken effect; `manage` waits for that before the user may decide about more. */
type ChangeListener = () => unknown;

/** Knows which extensions, MCP servers, and hooks of the project may run, and asks about those that the user has not decided about. */
export class ConsentDesk {
  readonly #options: DeskOptions;
  /** Every subject that wanted to run, by kind and name, as it was last defined. */
  readonly #seen = new Map<string, ConsentSubject>();
  readonly #asked = new Set<string>();
  readonly #told = new Set<string>();
  readonly #listeners = new Map<Kind, ChangeListener>();
  #waiting: ConsentSubject[] = [];
  #isAsking: boolean;
  #isBusy = false;
  #ui: HostUi | undefined;
  #onFirst: () => void = () => undefined;

  constructor(options: DeskOptions) {
    this.#options = options;
    this.#isAsking = options.isAsking;
  }

  /**
   * True when the subject may run now. When the user has not decided about this definition, they are asked, once in the life of the process,
   * and `onChanged` tells of the answer.
   */
  mayRun(subject: ConsentSubject): boolean {
    const isFirst = this.#seen.size === 0;
    this.#seen.set(keyOf(subject), subject);
    if (isFirst) this.#onFirst();
    const before = this.#decisionOn(subject);
    if (before?.hash === subject.hash) {
      if (!before.isAllowed) this.#tellOnce(`The ${labelOf(subject)} isn't allowed to run. To allow it, run /trust.`);
      return before.isAllowed;
    }
    if (!this.#isAsking) return true;
    const definition = `${keyOf(subject)} ${subject.hash}`;
    if (!this.#asked.has(definition)) {
      this.#asked.add(definition);
      this.#waiting.push(subject);
      void this.#askAll();
    }
    return false;
  }

  /** True when the user has decided that the subject, as it is defined now, does not run. */
  isDeclined(subject: ConsentSubject): boolean {
    const before = this.#decisionOn(subject);
    return before?.hash === subject.hash && !before.isAllowed;
  }

  /** Calls `listener` when the user has decided about subjects of this kind. */
  onChanged(kind: Kind, listener: ChangeListener): void {
    this.#listeners.set(kind, listener);
  }

  /** Calls `listener` as soon as there is something that may be allowed. */
  onFirst(listener: () => void): void {
    this.#onFirst = listener;
    if (this.#seen.size > 0) listener();
  }

  /** Asks the user, from here on, about what is not decided. */
  startAsking(): void {
    this.#isAsking = true;
  }

  /** Sends questions to the host from here on, those that wait first. */
  open(ui: HostUi): void {
    this.#ui = ui;
    void this.#askAll();
  }

  /** Sends no more questions: the host is gone. */
  close(): void {
    this.#ui = undefined;
  }

  /** Shows the decisions to the user, who may change them. */
  async manage(ui: ExtensionUi): Promise<void> {
    for (;;) {
      const subjects = this.#known();
      if (subjects.length === 0) return ui.notify("This project has no extensions, MCP servers, or hooks.");
      const lines = subjects.map((subject, index) => `${index + 1}. ${labelOf(subject)}: ${this.#standing(subject)}`);
      const answer = await ui.select("This project's extensions, MCP servers, and hooks", lines);
      const subject = answer === undefined ? undefined : subjects[lines.indexOf(answer)];
      if (subject === undefined) return;
      const choice = await ui.select(this.#question(subject), [ALLOW, DENY]);
      if (choice === undefined) continue;
      this.#keep(subject, choice === ALLOW);
      await this.#listeners.get(subject.kind)?.();
    }
  }

  /** One question at a time. Listeners hear once when no question of their kind is left. */
  async #askAll(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    const allowed = new Set<Kind>();
    for (;;) {
      const ui = this.#ui;
      const subject = ui && this.#waiting.shift();
      if (ui === undefined || subject === undefined) break;
      if (await this.#ask(subject, ui)) allowed.add(subject.kind);
      const isLast = this.#waiting.every(({ kind }) => kind !== subject.kind);
      if (isLast && allowed.delete(subject.kind)) this.#listeners.get(subject.kind)?.();
    }
    this.#isBusy = false;
  }

  /** @returns whether it was allowed. */
  async #ask(subject: ConsentSubject, ui: HostUi): Promise<boolean> {
    // Another agent of the same project may have asked meanwhile.
    const before = this.#decisionOn(subject);
    if (before?.hash === subject.hash) return before.isAllowed;
    const { kind, name } = subject;
    const answer = await ui.select(this.#question(subject), [ALLOW, DENY], { consent: { kind, name } });
    if (answer === ALLOW || answer === DENY) this.#keep(subject, answer === ALLOW);
    if (answer === ALLOW) return true;
    const message = `The ${labelOf(subject)} isn't allowed to run. To allow it, run /trust.`;
    this.#ui?.tell({ method: "notify", message, notifyType: "info" });
    return false;
  }

  #question(subject: ConsentSubject): string {
    const before = this.#decisionOn(subject);
    const isChanged = before !== undefined && before.hash !== subject.hash;
    return [
      `Allow this project's ${labelOf(subject)}?`,
      `Runs with your permissions: ${shown(subject.runs)}`,
      ...subject.details.map(shown),
      ...(isChanged ? ["It has changed since you last decided."] : []),
    ].join("\n");
  }

  #standing(subject: ConsentSubject): string {
    const before = this.#decisionOn(subject);
    if (before?.hash === subject.hash) return before.isAllowed ? "allowed" : "not allowed";
    if (!this.#isAsking) return "runs because you trust the project";
    return before === undefined ? "not decided" : "changed, not decided";
  }

  /** Returns the subjects that this process has seen and those of earlier decisions. */
  #known(): ConsentSubject[] {
    const stored = this.#options.file.read().map((consent) => ({ ...consent, details: [] }));
    return [...new Map([...stored.map((one) => [keyOf(one), one] as const), ...this.#seen]).values()];
  }

  #decisionOn(subject: ConsentSubject): Consent | undefined {
    return this.#options.file.read().find((one) => keyOf(one) === keyOf(subject));
  }

  #keep({ kind, name, hash, runs }: ConsentSubject, isAllowed: boolean): void {
    this.#options.file.keep({ kind, name, hash, runs, isAllowed, decidedAt: Date.now() });
  }

  #tellOnce(message: string): void {
    if (!this.#told.has(message)) this.#options.warn(message);
    this.#told.add(message);
  }
}

function keyOf({ kind, name }: Pick<Consent, "kind" | "name">): string {
  return `${kind}:${name}`;
}

function labelOf({ kind, name }: Pick<Consent, "kind" | "name">): string {
  return `${KIND_WORDS[kind]} "${shown(name)}"`;
}

/** A definition comes from anybody: it must not look like lines of ours. */
function shown(text: string): string {
  const line = visibleLine(text);
  const more = line.length - MAX_LINE_CHARS;
  return more > 0 ? `${line.slice(0, MAX_LINE_CHARS)}… (${more} more characters)` : line;
}
