/** How long, and for whom, a dialog is open. */
export interface DialogOptions {
  /** Closes the dialog; it then has its default answer. */
  signal?: AbortSignal | undefined;
  /** Milliseconds after which the dialog has its default answer; without it there is no limit. */
  timeoutMs?: number | undefined;
}

/** The questions that code inside the agent may ask the user. Every promise settles: with the answer or with the default. */
export interface Dialogs {
  /** @returns the chosen option; undefined when nobody chose. */
  select(title: string, options: readonly string[], dialog?: DialogOptions): Promise<string | undefined>;
  /** @returns false when nobody answered. */
  confirm(title: string, message: string, dialog?: DialogOptions): Promise<boolean>;
}
