import type { Host } from "../../host.ts";
import type { ToolItem, TranscriptItem } from "../../protocol/items.ts";
import type { Density } from "../../protocol/ui.ts";
import type { Frame } from "./dom.ts";

/** One item on the page. Its element is made once and changed in place. */
export interface ItemView {
  readonly element: HTMLElement;
  /** Shows a later state of the same item; another kind is skipped. */
  update(item: TranscriptItem): void;
  /** Adds to the item's growing text. */
  append?(text: string): void;
  /** The growing text is complete. */
  finish?(durationMs: number | undefined): void;
  /** Opens or closes what is folded away. */
  toggle?(): void;
  /** Looks again at what is open by itself. */
  refold?(): void;
  /** The collapsed text, for searches. */
  hiddenText?(): string;
  /** The part of the item before which that stands; absent where it stands behind all. */
  hiddenBefore?(): Element | undefined;
  /** Opens what is folded away, for now. */
  reveal?(): void;
  /** The call that the item shows, if it is one. */
  tool?(): ToolItem;
  /** Ends timers. */
  dispose?(): void;
}

/** The context shared by the views of items. */
export interface ViewContext {
  host: Host;
  frame: Frame;
  /** Speaks to screen readers: at the next pause, or at once. */
  say(text: string, urgency: "polite" | "assertive"): void;
  /** Which parts are expanded by default. */
  density(): Density;
  /** Puts a prompt into the composer, to be sent again in another form. */
  editPrompt(prompt: Extract<TranscriptItem, { kind: "prompt" }>): void;
  /** Moves the keyboard into the composer. */
  focusComposer(): void;
  /** True if the user is on the way from an approval to its rule and back, so that the next question gets the keyboard. */
  rule: { isUnderWay: boolean };
  /** The time of the user's last answer, by the page's clock. */
  lastAnswer: { at: number };
}

/** True if the user has opened or closed a card; undefined when neither. */
export function keptOpen(host: Host, id: string): boolean | undefined {
  return host.kept().openCards[id];
}

export function keepOpen(host: Host, id: string, isOpen: boolean): void {
  const { [id]: _before, ...others } = host.kept().openCards;
  host.keep({ openCards: { ...others, [id]: isOpen } });
}
