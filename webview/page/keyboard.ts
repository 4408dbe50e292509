import { isComposing } from "../view/common/dom.ts";
import type { Composer } from "../view/composer/composer.ts";
import type { Transcript } from "../view/transcript/transcript.ts";

interface PageParts {
  readonly transcript: Transcript;
  /** The line of the plan; hidden without one. */
  readonly planHead: HTMLElement;
  readonly composer: Composer;
}

interface KeyboardPage extends PageParts {
  readonly root: HTMLElement;
  /** True if there is no text that Alt+Up could be meant for. */
  isDraftEmpty(): boolean;
  openFind(): void;
}

/**
 * The keys that work everywhere on the page: Alt+A goes to the first pending question, Escape goes back to the composer, Ctrl+F or Cmd+F searches, Alt+Up and Alt+Down go from one thing that the user said to the next.
 */
export function bindPageKeys(page: KeyboardPage): void {
  page.root.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || isComposing(event)) return;
    if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.code === "KeyF") {
      event.preventDefault();
      page.openFind();
    } else if (isJump(event) && !isTyping(page)) {
      event.preventDefault();
      page.transcript.jumpToPrompt(event.key === "ArrowUp" ? -1 : 1);
    } else if (event.altKey && event.code === "KeyA" && !event.ctrlKey && !event.metaKey) {
      if (page.transcript.focusPendingQuestion()) event.preventDefault();
    } else if (event.key === "Escape" && !page.composer.hasFocus()) {
      event.preventDefault();
      page.composer.focus();
    }
  });
}

function isJump(event: KeyboardEvent): boolean {
  return event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey && /^Arrow(?:Up|Down)$/.test(event.key);
}

/** In an input with text, the keys move the caret. */
function isTyping({ composer, transcript, isDraftEmpty }: KeyboardPage): boolean {
  return composer.hasFocus() ? !isDraftEmpty() : !transcript.element.contains(document.activeElement);
}

/**
 * Moves the keyboard to the next or previous part: conversation, the first question that waits, plan, text box, the buttons below it. The editor
 * binds the keys for it; those that it binds itself never stay in the page.
 */
export function moveToPart({ transcript, planHead, composer }: PageParts, by: 1 | -1): void {
  const plan = planHead.closest("section");
  const question = transcript.element.querySelector<HTMLElement>(".question.is-pending .question-group");
  const stops: { readonly part: HTMLElement | null; focus(): void }[] = [
    { part: transcript.element, focus: transcript.focus },
    ...(question === null ? [] : [{ part: question, focus: () => void transcript.focusPendingQuestion() }]),
    ...(planHead.checkVisibility() ? [{ part: plan, focus: () => planHead.focus() }] : []),
    { part: composer.element, focus: composer.focus },
    { part: composer.tools, focus: () => focusFirst(composer.tools) },
  ];
  const active = document.activeElement;
  // The last that holds it: the buttons are a part of the composer.
  const at = stops.findLastIndex(({ part }) => part?.contains(active));
  const from = at === -1 ? stops.findIndex(({ part }) => part === composer.element) : at;
  stops[(from + by + stops.length) % stops.length]?.focus();
}

function focusFirst(parent: HTMLElement): void {
  const button = parent.querySelector("button:not([hidden]), vscode-button:not([hidden])");
  if (button instanceof HTMLElement) button.focus();
}
