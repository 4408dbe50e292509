import type { ExtensionUi, UiDialogOptions } from "./api-ui.ts";
import type { DialogOptions, HostUi } from "./ui.ts";

interface UiObjectOptions {
  host: HostUi;
  /** Takes the place of an empty title; also how stderr names the extension. */
  extensionName: string;
  /** True if the host wants titles. */
  sendsTitle: boolean;
  /** Aborts when the work that the caller belongs to is aborted. */
  workSignal(): AbortSignal | undefined;
  /** Aborts when another session takes the place of the present one. */
  sessionSignal(): AbortSignal;
  warn(message: string): void;
}

const nothing = () => undefined;

/** A theme without colours: whatever is asked of it gives the text back. */
export const PLAIN_THEME: object = new Proxy(
  {},
  {
    get: (_, name) => {
      if (name === "name") return "plain";
      if (name === "then" || typeof name === "symbol") return undefined;
      return (...args: unknown[]) => String(args.at(-1) ?? "");
    },
  },
);

/** The interface for extensions. Members that need a terminal do nothing. */
export function createUi({
  host,
  extensionName,
  sendsTitle,
  workSignal,
  sessionSignal,
  warn,
}: UiObjectOptions): ExtensionUi {
  const dialog = (options: UiDialogOptions = {}): DialogOptions => {
    const signals = [options.signal, workSignal(), sessionSignal()].filter((signal) => signal !== undefined);
    return {
      signal: AbortSignal.any(signals),
      timeoutMs: Number.isFinite(options.timeout) ? options.timeout : undefined,
      onTimeout: options.onTimeout,
    };
  };
  const worded = (text: string) => text || extensionName;
  let hasAskedForScreen = false;
  return {
    select: (title, options, wishes) => host.select(worded(title), options, dialog(wishes)),
    confirm: (title, message, wishes) => host.confirm(worded(title), worded(message), dialog(wishes)),
    input: (title, placeholder, wishes) =>
      host.input(worded(title), placeholder, { ...dialog(wishes), password: wishes?.password === true }),
    editor: (title, prefill, wishes) => host.editor(worded(title), prefill, dialog(wishes)),
    notify: (message, type) => host.tell({ method: "notify", message, ...(type && { notifyType: type }) }),
    setStatus: (key, text) =>
      host.tell({ method: "setStatus", statusKey: key, ...(text === undefined ? {} : { statusText: text }) }),
    setWidget(key, content, options) {
      if (typeof content === "function") return;
      const lines = content === undefined ? {} : { widgetLines: [...content] };
      const placement = options?.placement && { widgetPlacement: options.placement };
      host.tell({ method: "setWidget", widgetKey: key, ...lines, ...placement });
    },
    setTitle(title) {
      if (sendsTitle) host.tell({ method: "setTitle", title });
    },
    setEditorText: (text) => host.tell({ method: "set_editor_text", text }),
    pasteToEditor: (text) => host.tell({ method: "set_editor_text", text }),
    async custom() {
      if (!hasAskedForScreen) warn(`${extensionName}: ctx.ui.custom() needs a terminal and gives undefined here.`);
      hasAskedForScreen = true;
      return undefined;
    },
    onTerminalInput: () => () => undefined,
    setWorkingMessage: nothing,
    setWorkingVisible: nothing,
    setWorkingIndicator: nothing,
    setHiddenThinkingLabel: nothing,
    setFooter: nothing,
    setHeader: nothing,
    setEditorComponent: nothing,
    setToolsExpanded: nothing,
    addAutocompleteProvider: nothing,
    getEditorText: () => "",
    getEditorComponent: () => undefined,
    getToolsExpanded: () => false,
    getAllThemes: () => [],
    getTheme: () => undefined,
    setTheme: () => ({ success: false, error: "Theme switching not supported in RPC mode" }),
    theme: PLAIN_THEME,
  };
}
