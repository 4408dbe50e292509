/**
 * The only file that knows the controls of @vscode/webview-ui-toolkit. Its finished script is loaded beside ours, so
 * elements are made by tag name.
 */
interface ToolkitButton extends HTMLElement {
  appearance: string;
  disabled: boolean;
}

interface ToolkitTextArea extends HTMLElement {
  value: string;
  placeholder: string;
  rows: number;
  readonly control: HTMLTextAreaElement;
}

declare global {
  interface HTMLElementTagNameMap {
    "vscode-button": ToolkitButton;
    "vscode-text-area": ToolkitTextArea;
    "vscode-progress-ring": HTMLElement;
  }
}

/** A push button. */
export interface Button {
  readonly element: HTMLElement;
  setDisabled(isDisabled: boolean): void;
}

/**
 * Makes a button. An icon button shows only the icon; `label` is its name and hint.
 * @param options.icon name of a codicon.
 */
export function createButton(options: {
  label: string;
  icon?: string;
  look: "primary" | "secondary" | "icon";
  onClick(event: MouseEvent): void;
}): Button {
  const element = document.createElement("vscode-button");
  element.appearance = options.look;
  if (options.icon !== undefined) element.append(icon(options.icon));
  if (options.look === "icon") {
    element.setAttribute("aria-label", options.label);
    element.title = options.label;
  } else {
    element.append(options.label);
  }
  element.addEventListener("click", (event) => options.onClick(event));
  return {
    element,
    setDisabled(isDisabled) {
      element.disabled = isDisabled;
    },
  };
}

/** A box for text of any length that grows with it. */
export interface TextBox {
  readonly element: HTMLElement;
  read(): string;
  /** Replaces the text and puts the caret behind it. */
  write(text: string): void;
  /** Types text at the caret, in place of what is selected, so that it can be undone. The keyboard must be in the box. */
  insert(text: string): void;
  setPlaceholder(text: string): void;
  focus(): void;
  hasFocus(): boolean;
  /** Puts the caret at a place, in UTF-16 units. */
  select(start: number, end: number): void;
  selection(): { start: number; end: number };
  /** The scroll position of the text, in CSS pixels. */
  scrollTop(): number;
  scrollTo(top: number): void;
  /**
   * Tells screen readers of a list that completes the text, and which entry the arrows are on; `undefined` when it is closed. The keyboard
   * stays in the text.
   */
  setList(list: { element: HTMLElement; active: HTMLElement } | undefined): void;
}

/** Makes a text box; it must be in the document before it is used. @param options.maxHeight a CSS length. */
export function createTextBox(options: {
  label: string;
  placeholder: string;
  value: string;
  parent: HTMLElement;
  maxHeight: string;
}): TextBox {
  const element = document.createElement("vscode-text-area");
  element.placeholder = options.placeholder;
  element.rows = 1;
  options.parent.append(element);
  // After it is in the document: the toolkit gives each box a name of its own at that moment.
  element.setAttribute("aria-label", options.label);
  const { control } = element;
  const write = (text: string) => {
    element.value = text;
    // The toolkit passes the text on a frame later, and would then overwrite what was typed meanwhile and move the caret.
    control.value = text;
    control.setSelectionRange(text.length, text.length);
  };
  write(options.value);
  growWithText(control, options.maxHeight);
  // Whoever asks for it later would have the whole page laid out.
  let scrollTop = 0;
  const noteScroll = () => {
    scrollTop = control.scrollTop;
  };
  control.addEventListener("scroll", noteScroll, { passive: true });
  // The browser tells of scrolling a frame later.
  control.addEventListener("blur", noteScroll);
  return {
    element,
    read: () => element.value,
    write,
    insert(text) {
      if (document.execCommand("insertText", false, text)) return;
      control.setRangeText(text, control.selectionStart, control.selectionEnd, "end");
      control.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
    },
    setPlaceholder(text) {
      element.placeholder = text;
    },
    focus: () => control.focus(),
    hasFocus: () => document.activeElement === element,
    select: (start, end) => control.setSelectionRange(start, end),
    selection: () => ({ start: control.selectionStart, end: control.selectionEnd }),
    scrollTop: () => scrollTop,
    scrollTo(top) {
      control.scrollTop = top;
      scrollTop = top;
    },
    setList: (list) => tellOfList(control, list),
  };
}

function growWithText(control: HTMLTextAreaElement, maxHeight: string): void {
  // The toolkit's box has a fixed height; this browser property makes it as tall as its text.
  control.style.setProperty("field-sizing", "content");
  control.style.maxHeight = maxHeight;
  control.style.minHeight = "0";
  control.dir = "auto";
}

function tellOfList(control: HTMLTextAreaElement, list: Parameters<TextBox["setList"]>[0]): void {
  // By reference: the text is inside the control, where the ids of the page mean nothing.
  // It stays a text box: what HTML lets be a combobox has one line.
  control.ariaAutoComplete = list === undefined ? null : "list";
  control.ariaHasPopup = list === undefined ? null : "listbox";
  control.ariaControlsElements = list === undefined ? null : [list.element];
  control.ariaActiveDescendantElement = list?.active ?? null;
}

/** A turning ring, for the eye only: the toolkit's own would interrupt screen readers each time it appears. */
export function createSpinner(): HTMLElement {
  const element = document.createElement("vscode-progress-ring");
  element.setAttribute("role", "presentation");
  element.setAttribute("aria-hidden", "true");
  return element;
}

/** An image from the icon font, hidden from screen readers. */
export function icon(name: string): HTMLElement {
  const element = document.createElement("span");
  element.className = `codicon codicon-${name}`;
  element.setAttribute("aria-hidden", "true");
  return element;
}
