import type {
  ApprovalQuestion,
  ConsentQuestion,
  DialogRequest,
  EditedChange,
  RuleQuestion,
  UiRequest,
} from "../protocol/dialogs.ts";

/** Options for how long a dialog stays open. */
export interface DialogOptions {
  /** Closes the dialog; it then has its default answer. */
  signal?: AbortSignal | undefined;
  /** Milliseconds after which the dialog has its default answer; without it there is no limit. */
  timeoutMs?: number | undefined;
  /** Called when the time is over, here or at the host. */
  onTimeout?: (() => void) | undefined;
}

/** Options that only the agent's own code can set: the extension API passes none of them on. */
export interface SelectOptions extends DialogOptions {
  approval?: ApprovalQuestion | undefined;
  /** Called before the answer is given when the user wants another change than that of `approval.preview`. */
  onEdited?: ((edited: EditedChange) => void) | undefined;
  /** Called before the answer is given when the user says why they deny the call. */
  onReason?: ((reason: string) => void) | undefined;
  consent?: ConsentQuestion | undefined;
}

/** Options of a question for one line of text. */
export interface InputOptions extends DialogOptions {
  /** Hides the text while the user types. */
  password?: boolean | undefined;
}

/** Options that only the agent's own code can set. */
export interface EditorOptions extends DialogOptions {
  rule?: RuleQuestion | undefined;
}

/** The questions that code inside the agent may ask the user. Every promise settles: with the answer or with the default. */
export interface Dialogs {
  /** @returns the selected option; undefined if there is no answer. */
  select(title: string, options: readonly string[], dialog?: SelectOptions): Promise<string | undefined>;
  /** @returns false if there is no answer. */
  confirm(title: string, message: string, dialog?: DialogOptions): Promise<boolean>;
}

/** A request that the host does not answer. */
export type UiNotice = Unframed<Exclude<UiRequest, DialogRequest | { method: "cancel" }>>;
type Unframed<Request> = Request extends UiRequest ? Omit<Request, "type" | "id"> : never;

/** All that the host's interface can do for extensions. */
export interface HostUi extends Dialogs {
  /** @returns undefined if there is no answer. */
  input(title: string, placeholder?: string, dialog?: InputOptions): Promise<string | undefined>;
  /** @returns undefined if there is no answer. */
  editor(title: string, prefill?: string, dialog?: EditorOptions): Promise<string | undefined>;
  tell(notice: UiNotice): void;
}
