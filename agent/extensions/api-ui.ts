/** Options for how long a dialog stays open. `timeout` is in milliseconds. */
export interface UiDialogOptions {
  signal?: AbortSignal;
  timeout?: number;
  onTimeout?: () => void;
}

/** Options of a question for one line of text. */
export interface UiInputOptions extends UiDialogOptions {
  /** Hides the text while the user types, if the host can. */
  password?: boolean;
}

/** The host's interface. Dialogs give undefined, or false, if nobody answers. */
export interface ExtensionUi {
  select(title: string, options: readonly string[], dialog?: UiDialogOptions): Promise<string | undefined>;
  confirm(title: string, message: string, dialog?: UiDialogOptions): Promise<boolean>;
  input(title: string, placeholder?: string, dialog?: UiInputOptions): Promise<string | undefined>;
  editor(title: string, prefill?: string, dialog?: UiDialogOptions): Promise<string | undefined>;
  notify(message: string, type?: "info" | "warning" | "error"): void;
  /** Without `text` the status is cleared. */
  setStatus(key: string, text?: string): void;
  /** Without `content` the widget is cleared. Components are for terminals and are ignored. */
  setWidget(
    key: string,
    content?: readonly string[] | ((...args: unknown[]) => unknown),
    options?: { placement?: "aboveEditor" | "belowEditor" },
  ): void;
  setTitle(title: string): void;
  setEditorText(text: string): void;
  pasteToEditor(text: string): void;
  /** Always undefined: there is no terminal. */
  custom(...args: unknown[]): Promise<undefined>;
  onTerminalInput(...args: unknown[]): () => void;
  setWorkingMessage(...args: unknown[]): void;
  setWorkingVisible(...args: unknown[]): void;
  setWorkingIndicator(...args: unknown[]): void;
  setHiddenThinkingLabel(...args: unknown[]): void;
  setFooter(...args: unknown[]): void;
  setHeader(...args: unknown[]): void;
  setEditorComponent(...args: unknown[]): void;
  setToolsExpanded(...args: unknown[]): void;
  addAutocompleteProvider(...args: unknown[]): void;
  getEditorText(): string;
  getEditorComponent(): undefined;
  getToolsExpanded(): boolean;
  getAllThemes(): never[];
  getTheme(name: string): undefined;
  setTheme(theme: unknown): { success: false; error: string };
  /** Colour functions give their text back. */
  theme: object;
}
