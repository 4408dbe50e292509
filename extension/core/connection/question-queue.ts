import type { DialogRequest, EditedChange, UiResponse } from "../../../agent/protocol/dialogs.ts";
import { t } from "../../../webview/l10n.ts";

/** The answer to a question, or the way in which it ended without one. */
export type Answer =
  | {
      readonly type: "value";
      readonly value: string;
      readonly edited?: EditedChange | undefined;
      readonly reason?: string | undefined;
    }
  | { readonly type: "confirmed"; readonly confirmed: boolean }
  | { readonly type: "cancelled"; readonly timedOut?: boolean };

export type QuestionState = "pending" | "answered" | "cancelled" | "timedOut";

/** A question of the agent. `deadline` is Unix ms; `answer` is the given answer, for people. */
export interface Question {
  readonly request: DialogRequest;
  readonly deadline: number | undefined;
  readonly state: QuestionState;
  readonly answer: string | undefined;
}

/** The surroundings of the queue. */
export interface QuestionFaces {
  /**
   * Shows the question in the editor's own interface until it is answered or `signal` aborts. `undefined` means that the user put it off: it
   * stays pending in the other places.
   * @param isWanted true when the user asked to see it.
   */
  present(question: Question, signal: AbortSignal, isWanted: boolean): Promise<Answer | undefined>;
  /** Called when a question was added or settled. */
  changed(question: Question): void;
  /** Adds the user's edits in another place to an answer; called before the question is settled. */
  complete(id: string, answer: Answer): Answer;
  /** Sends the answer to the agent; called once for each question that the agent still waits for. */
  reply(id: string, answer: Answer): void;
  /** Called when `present` failed; the question stays pending. */
  failed(question: Question, error: unknown): void;
}

interface Entry {
  question: Question;
  isPostponed: boolean;
  timer: NodeJS.Timeout | undefined;
}

/**
 * The questions that wait for the user. All can be answered at any time by `answer`; the editor's own dialogs show one at a time, oldest first.
 * The first answer wins, whichever place it comes from; later ones are dropped.
 */
export class QuestionQueue {
  readonly #faces: QuestionFaces;
  readonly #now: () => number;
  readonly #entries = new Map<string, Entry>();
  #shown: { readonly id: string; readonly hide: AbortController } | undefined;

  constructor(faces: QuestionFaces, now: () => number = Date.now) {
    this.#faces = faces;
    this.#now = now;
  }

  /** The pending questions, oldest first. */
  get pending(): readonly Question[] {
    return [...this.#entries.values()].map((entry) => entry.question);
  }

  /** Adds a question and shows it when its turn comes. An id that is already pending is ignored. */
  add(request: DialogRequest): void {
    if (this.#entries.has(request.id)) return;
    const { timeout } = request;
    const deadline = timeout === undefined ? undefined : this.#now() + timeout;
    const question: Question = { request, deadline, state: "pending", answer: undefined };
    const expire = () => this.answer(request.id, { type: "cancelled", timedOut: true });
    const timer = timeout === undefined ? undefined : setTimeout(expire, timeout);
    this.#entries.set(request.id, { question, isPostponed: false, timer });
    this.#faces.changed(question);
    this.#showNext();
  }

  /** Settles a question from any place. @returns false if the agent no longer waits for it. */
  answer(id: string, answer: Answer): boolean {
    const state = answer.type === "cancelled" ? (answer.timedOut ? "timedOut" : "cancelled") : "answered";
    const complete = this.#faces.complete(id, answer);
    if (!this.#settle(id, state, describe(answer))) return false;
    this.#faces.reply(id, complete);
    this.#showNext();
    return true;
  }

  /** Withdraws a question whose answer the agent no longer wants. */
  withdraw(id: string): void {
    const deadline = this.#entries.get(id)?.question.deadline;
    const isLate = deadline !== undefined && this.#now() >= deadline;
    this.#settle(id, isLate ? "timedOut" : "cancelled", undefined);
    this.#showNext();
  }

  /** Withdraws all questions, since the agent is gone. */
  withdrawAll(): void {
    for (const id of [...this.#entries.keys()]) this.#settle(id, "cancelled", undefined);
  }

  /** Shows a pending question in the editor's own interface, even one that was put off: the oldest, or the one with `id`. */
  show(id?: string): boolean {
    const target = id ?? this.#entries.keys().next().value;
    const entry = target === undefined ? undefined : this.#entries.get(target);
    if (target === undefined || entry === undefined) return false;
    this.#hideShown();
    entry.isPostponed = false;
    void this.#present(target, entry, true);
    return true;
  }

  /** Shows the questions again that were put off in the editor's own interface, since they are visible nowhere else. */
  remind(): void {
    for (const entry of this.#entries.values()) entry.isPostponed = false;
    this.#showNext();
  }

  #settle(id: string, state: QuestionState, answer: string | undefined): boolean {
    const entry = this.#entries.get(id);
    if (entry === undefined) return false;
    clearTimeout(entry.timer);
    this.#entries.delete(id);
    if (this.#shown?.id === id) this.#hideShown();
    this.#faces.changed({ ...entry.question, state, answer });
    return true;
  }

  #hideShown(): void {
    this.#shown?.hide.abort();
    this.#shown = undefined;
  }

  #showNext(): void {
    if (this.#shown !== undefined) return;
    for (const [id, entry] of this.#entries) {
      if (entry.isPostponed) continue;
      void this.#present(id, entry, false);
      return;
    }
  }

  async #present(id: string, entry: Entry, isWanted: boolean): Promise<void> {
    const shown = { id, hide: new AbortController() };
    this.#shown = shown;
    let answer: Answer | undefined;
    try {
      answer = await this.#faces.present(entry.question, shown.hide.signal, isWanted);
    } catch (error) {
      this.#faces.failed(entry.question, error);
    }
    // Settled elsewhere, or shown anew: the result of this dialog no longer counts.
    if (this.#shown !== shown) return;
    this.#shown = undefined;
    if (answer !== undefined) {
      this.answer(id, answer);
      return;
    }
    entry.isPostponed = true;
    this.#showNext();
  }
}

function describe(answer: Answer): string | undefined {
  switch (answer.type) {
    case "value":
      return answer.value;
    case "confirmed":
      return answer.confirmed ? t("Yes") : t("No");
    case "cancelled":
      return undefined;
  }
}

/** Converts an answer to the fields of the wire. */
export function wireAnswer(answer: Answer): Omit<UiResponse, "type" | "id"> {
  switch (answer.type) {
    case "value":
      return {
        value: answer.value,
        ...(answer.edited === undefined ? {} : { edited: answer.edited }),
        ...(answer.reason === undefined ? {} : { reason: answer.reason }),
      };
    case "confirmed":
      return { confirmed: answer.confirmed };
    case "cancelled":
      return answer.timedOut ? { cancelled: true, timedOut: true } : { cancelled: true };
  }
}
