/** Puts something else in place of a message's text. */
type Expand = (text: string) => Promise<string>;

/** The texts of messages on their way to the session: expanded, and in the order in which they came. */
export class MessageTexts {
  readonly #expand: Expand;
  readonly #mayNeed: (text: string) => boolean;
  #last: Promise<unknown> | undefined;

  /** @param mayNeed tells which texts have to be expanded; the others are handed on as they are. */
  constructor(mayNeed: (text: string) => boolean, expand: Expand) {
    this.#mayNeed = mayNeed;
    this.#expand = expand;
  }

  /** Resolves when every text so far was handed on; undefined when none waits. */
  get pending(): Promise<unknown> | undefined {
    return this.#last;
  }

  /** Hands on a text once it is expanded and all earlier ones were handed on; at once when that is so already. */
  take<Result>(text: string, use: (expanded: string) => Result | Promise<Result>): Result | Promise<Result> {
    const earlier = this.#last;
    const needsWork = this.#mayNeed(text);
    if (earlier === undefined && !needsWork) return use(text);
    const expanded = Promise.resolve(earlier).then(() => (needsWork ? this.#expand(text) : text));
    const result = expanded.then(use);
    const forget = () => {
      if (this.#last === handedOn) this.#last = undefined;
    };
    const handedOn: Promise<void> = expanded.then(forget, forget); // whoever sent the text hears of a failure
    this.#last = handedOn;
    return result;
  }
}
