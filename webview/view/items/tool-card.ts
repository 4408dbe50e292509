import { t } from "../../l10n.ts";
import type { ToolItem } from "../../protocol/items.ts";
import { wordCall, wordState } from "../../protocol/tool-words.ts";
import { el } from "../common/dom.ts";
import { type ItemView, keepOpen, keptOpen, type ViewContext } from "../common/item-view.ts";
import { liveLines, showLiveLines } from "./live-output.ts";
import { createToolBody, type ToolBody, withheld } from "./tool-body.ts";
import { createToolHead, type ToolHead } from "./tool-head.ts";

/** One tool call: a line that opens onto what was run and what came of it. */
export function toolView(first: ToolItem, context: ViewContext): ItemView {
  const card = new ToolCard(first, context);
  return {
    element: card.element,
    toggle: () => card.toggle(),
    refold: card.show,
    hiddenText: () => card.hiddenText(),
    hiddenBefore: () => card.hiddenBefore(),
    reveal: () => card.reveal(),
    append: (text) => card.append(text),
    tool: () => card.item,
    update: (next) => next.kind === "tool" && card.update(next),
  };
}

class ToolCard {
  readonly #context: ViewContext;
  readonly #head: ToolHead;
  readonly element: HTMLElement;
  #item: ToolItem;
  /** Only an open card has one: there may be thousands of closed ones. */
  #body: ToolBody | undefined;
  #live: HTMLElement | undefined;
  #isRevealed = false;

  constructor(item: ToolItem, context: ViewContext) {
    this.#context = context;
    this.#item = item;
    this.#head = createToolHead(item.id, () => context.host.post({ type: "stopShell" }));
    this.#head.element.addEventListener("click", () => this.toggle());
    this.element = el("article", "item tool", {}, [this.#head.element]);
    this.show();
  }

  get item(): ToolItem {
    return this.#item;
  }

  // One function, so that a frame does it once.
  readonly show = (): void => {
    const { state } = this.#item;
    this.element.className = `item tool is-${state}${this.#isBrief() ? " is-brief" : ""}`;
    this.element.setAttribute("aria-label", t("Tiller: {0}, {1}", wordCall(this.#item), wordState(state)));
    this.#head.show(this.#item, this.#isOpen());
    this.#showBody();
    const lines = this.#isOpen() ? undefined : liveLines(this.#item, this.#context.density());
    this.#live = showLiveLines(this.element, this.#live, lines);
  };

  toggle(): void {
    const wasOpen = this.#isOpen();
    this.#isRevealed = false;
    keepOpen(this.#context.host, this.#item.id, !wasOpen);
    this.show();
  }

  reveal(): void {
    this.#isRevealed = true;
    this.show();
  }

  append(text: string): void {
    this.#item = { ...this.#item, input: this.#item.input + text };
    if (this.#isOpen()) this.#context.frame.request(this.show);
  }

  update(next: ToolItem): void {
    if (next.state === "failed" && this.#item.state !== "failed")
      this.#context.say(t("Failed: {0}", wordCall(next)), "polite");
    this.#item = next;
    this.#context.frame.request(this.show);
  }

  hiddenText(): string {
    const { diff, input, output } = this.#item;
    if (!this.#isOpen()) return [diff ?? input, output].join("\n");
    return this.#isBrief() ? withheld(this.#item) : "";
  }

  hiddenBefore(): Element | undefined {
    return this.#isBrief() ? this.#body?.element : undefined;
  }

  #isOpen(): boolean {
    return this.#isRevealed || (this.#keptOpen() ?? this.#opensByItself());
  }

  #keptOpen(): boolean | undefined {
    return keptOpen(this.#context.host, this.#item.id);
  }

  #opensByItself(): boolean {
    const density = this.#context.density();
    if (density !== "normal") return density === "open";
    const { diff, state, canStop } = this.#item;
    return diff !== undefined || state === "failed" || canStop === true;
  }

  /** A collapsed failure shows only its last lines. */
  #isBrief(): boolean {
    const { state, canStop } = this.#item;
    if (state !== "failed" || canStop === true || this.#context.density() !== "normal") return false;
    return !this.#isRevealed && this.#keptOpen() === undefined;
  }

  #showBody(): void {
    const hadFocus = this.#body?.element.contains(document.activeElement) === true;
    if (this.#isOpen()) {
      if (this.#body === undefined) {
        this.#body = createToolBody(this.#item.id, this.#context);
        this.element.append(this.#body.element);
      }
      this.#body.show(this.#item, this.#isBrief());
    } else {
      this.#body?.element.remove();
      this.#body = undefined;
    }
    // The focused element may be gone.
    if (hadFocus && !this.#body?.element.contains(document.activeElement))
      this.#head.element.focus({ preventScroll: true });
  }
}
