import type { DialogOptions, EditorOptions, HostUi, InputOptions, SelectOptions } from "../../extensions/ui.ts";
import { type DialogRequest, EditedChange, type UiRequest, type UiResponse } from "../../protocol/dialogs.ts";
import { crypto } from "../../util/late-node.ts";

/** A request as its asker words it; the id and the frame's type are added here. */
type Unsent<Request> = Request extends UiRequest ? Omit<Request, "type" | "id" | "timeout"> : never;

interface OpenDialog {
  answer(response: UiResponse): void;
  closeWithDefault(): void;
}

interface Question<Answer> {
  request: Unsent<DialogRequest>;
  /** The result if there is no answer, or if the answer has the wrong form. */
  fallback: Answer;
  read(response: UiResponse): Answer;
}

/**
 * The questions that are open at the host. Each settles exactly once: by its answer, its time limit, its signal, or the end of the connection.
 */
export class DialogHub implements HostUi {
  readonly #write: (frame: object) => void;
  readonly #open = new Map<string, OpenDialog>();
  readonly #isFull: () => boolean;
  #leftOut = 0;
  #isClosed = false;

  /** @param isFull returns true when notices have to be dropped, because the host doesn't read. */
  constructor(write: (frame: object) => void, isFull: () => boolean = () => false) {
    this.#write = write;
    this.#isFull = isFull;
  }

  select(title: string, options: readonly string[], dialog: SelectOptions = {}): Promise<string | undefined> {
    const { approval, consent } = dialog;
    const marks = { ...(approval && { approval }), ...(consent && { consent }) };
    const request = { method: "select" as const, title, options: [...options], ...marks };
    const read = approval === undefined ? readText : (response: UiResponse) => readChoice(response, dialog);
    return this.#ask({ request, fallback: undefined, read }, dialog);
  }

  confirm(title: string, message: string, dialog: DialogOptions = {}): Promise<boolean> {
    return this.#ask(
      {
        request: { method: "confirm", title, message },
        fallback: false,
        read: ({ confirmed }) => confirmed === true,
      },
      dialog,
    );
  }

  input(title: string, placeholder?: string, dialog: InputOptions = {}): Promise<string | undefined> {
    const request = {
      method: "input" as const,
      title,
      placeholder,
      ...(dialog.password === true && { password: true }),
    };
    return this.#ask({ request, fallback: undefined, read: readText }, dialog);
  }

  editor(title: string, prefill?: string, dialog: EditorOptions = {}): Promise<string | undefined> {
    const { rule } = dialog;
    const request = { method: "editor" as const, title, prefill, ...(rule && { rule }) };
    return this.#ask({ request, fallback: undefined, read: readText }, dialog);
  }

  /** Sends the host a request without an answer. A host that does not read learns later how many were dropped. */
  tell(request: Unsent<Exclude<UiRequest, DialogRequest>>): void {
    if (this.#isFull() && request.method !== "cancel") {
      this.#leftOut++;
      return;
    }
    if (this.#leftOut > 0) {
      const message = `${this.#leftOut} messages of extensions were left out because they were not read in time.`;
      this.#leftOut = 0;
      this.tell({ method: "notify", message, notifyType: "warning" });
    }
    this.#write({ type: "extension_ui_request", id: crypto().randomUUID(), ...request });
  }

  /** Receives an answer. Ignores an answer to an unknown dialog. */
  answer(response: UiResponse): void {
    this.#open.get(response.id)?.answer(response);
  }

  /**
   * Called when no more answers arrive: open dialogs get their default answer, later ones get it at once. Requests
   * without an answer are still written as long as the host reads.
   */
  close(): void {
    this.#isClosed = true;
    for (const dialog of [...this.#open.values()]) dialog.closeWithDefault();
  }

  #ask<Answer>({ request, fallback, read }: Question<Answer>, options: DialogOptions): Promise<Answer> {
    const { signal, timeoutMs, onTimeout } = options;
    if (this.#isClosed || signal?.aborted === true) return Promise.resolve(fallback);
    const id = crypto().randomUUID();
    const timeout = timeoutMs !== undefined && timeoutMs > 0 ? Math.ceil(timeoutMs) : undefined;
    return new Promise((resolve) => {
      const settle = (answer: Answer) => {
        this.#open.delete(id);
        clearTimeout(timer);
        signal?.removeEventListener("abort", withdraw);
        resolve(answer);
      };
      const withdraw = () => {
        settle(fallback);
        this.tell({ method: "cancel", targetId: id });
      };
      const late = () => {
        withdraw();
        onTimeout?.();
      };
      const timer = timeout === undefined ? undefined : setTimeout(late, timeout);
      signal?.addEventListener("abort", withdraw, { once: true });
      this.#open.set(id, {
        answer(response) {
          settle(response.cancelled === true ? fallback : read(response));
          if (response.cancelled === true && response.timedOut === true) onTimeout?.();
        },
        closeWithDefault: () => settle(fallback),
      });
      this.#write({ type: "extension_ui_request", id, ...request, ...(timeout === undefined ? {} : { timeout }) });
    });
  }
}

/**
 * Reads a choice about a change that the user may have edited. An unreadable edit is no agreement to the unedited
 * change.
 */
function readChoice(response: UiResponse, { approval, onEdited, onReason }: SelectOptions): string | undefined {
  if (typeof response.reason === "string" && response.value === approval?.deny) onReason?.(response.reason);
  if (response.edited === undefined || approval?.preview === undefined) return readText(response);
  const edited = EditedChange.safeParse(response.edited);
  if (!edited.success || onEdited === undefined) return undefined;
  onEdited(edited.data);
  return readText(response);
}

function readText({ value }: UiResponse): string | undefined {
  return typeof value === "string" ? value : undefined;
}
