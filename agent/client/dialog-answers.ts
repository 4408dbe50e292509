import type { DialogMethod, DialogRequest, EditedChange, UiRequest, UiResponse } from "../protocol/dialogs.ts";

/** A question of one kind. */
export type DialogOf<M extends DialogMethod> = Extract<DialogRequest, { method: M }>;

/** Messages to the interface that expect no answer. */
export type UiNotice = Exclude<UiRequest, DialogRequest | { method: "cancel" }>;

type Answerer<M extends DialogMethod, A> = (
  request: DialogOf<M>,
  /** Aborts when the answer is no longer wanted: the agent withdrew the question, its time is up, or the connection closed. */
  signal: AbortSignal,
) => A | undefined | Promise<A | undefined>;

/**
 * A choice with what the user adds to it: a change in another form than `request.approval.preview` shows, or, with `request.approval.deny`, the reason
 * for the model.
 */
export interface EditedChoice {
  readonly value: string;
  readonly edited?: EditedChange;
  readonly reason?: string;
}

/**
 * Callbacks by which the host asks its user. A question without a function here, and one answered with `undefined`, counts as cancelled, as does one
 * whose function throws.
 */
export interface DialogCallbacks {
  /** Returns one of `request.options`, with the user's edit if they changed `request.approval.preview`. */
  readonly select?: Answerer<"select", string | EditedChoice>;
  readonly confirm?: Answerer<"confirm", boolean>;
  readonly input?: Answerer<"input", string>;
  readonly editor?: Answerer<"editor", string>;
}

type Answer = Omit<UiResponse, "type" | "id">;

/** The dialogs that are open in the host. Each gets one answer, unless the agent withdraws it. */
export class DialogAnswers {
  readonly #callbacks: DialogCallbacks;
  readonly #answer: (id: string, answer: Answer) => void;
  readonly #onMistake: (error: unknown) => void;
  readonly #open = new Map<string, AbortController>();

  constructor(
    callbacks: DialogCallbacks,
    answer: (id: string, answer: Answer) => void,
    onMistake: (error: unknown) => void,
  ) {
    this.#callbacks = callbacks;
    this.#answer = answer;
    this.#onMistake = onMistake;
  }

  /** Asks the host and sends its answer. Never rejects. */
  async ask(request: DialogRequest): Promise<void> {
    const controller = new AbortController();
    this.#open.set(request.id, controller);
    const timer =
      request.timeout === undefined
        ? undefined
        : setTimeout(
            () =>
              this.#close(request.id, new Error("The time to answer is over."), { cancelled: true, timedOut: true }),
            request.timeout,
          );
    let answer: Answer = { cancelled: true };
    try {
      answer = await this.#call(request, controller.signal);
    } catch (error) {
      if (!controller.signal.aborted) this.#onMistake(error);
    } finally {
      clearTimeout(timer);
    }
    if (this.#open.get(request.id) !== controller) return;
    this.#open.delete(request.id);
    this.#answer(request.id, answer);
  }

  /** The agent does not want an answer any more. */
  withdraw(id: string): void {
    this.#close(id, new Error("The agent withdrew the question."));
  }

  /** Closes all dialogs, because the connection has ended. */
  withdrawAll(): void {
    for (const id of [...this.#open.keys()]) this.withdraw(id);
  }

  #close(id: string, reason: Error, answer?: Answer): void {
    const controller = this.#open.get(id);
    if (controller === undefined) return;
    this.#open.delete(id);
    controller.abort(reason);
    if (answer !== undefined) this.#answer(id, answer);
  }

  async #call(request: DialogRequest, signal: AbortSignal): Promise<Answer> {
    const callbacks = this.#callbacks;
    switch (request.method) {
      case "select":
        return valueAnswer(await callbacks.select?.(request, signal));
      case "confirm": {
        const confirmed = await callbacks.confirm?.(request, signal);
        return confirmed === undefined ? { cancelled: true } : { confirmed };
      }
      case "input":
        return valueAnswer(await callbacks.input?.(request, signal));
      case "editor":
        return valueAnswer(await callbacks.editor?.(request, signal));
    }
  }
}

/** True when the agent waits for an answer to this request. */
export function isDialog(request: UiRequest): request is DialogRequest {
  return ["select", "confirm", "input", "editor"].includes(request.method);
}

function valueAnswer(value: string | EditedChoice | undefined): Answer {
  if (value === undefined) return { cancelled: true };
  if (typeof value === "string") return { value };
  const { edited, reason } = value;
  return { value: value.value, ...(edited && { edited }), ...(reason !== undefined && { reason }) };
}
