/** The longest match that is found for certain, in UTF-16 units. */
export const MAX_MATCH_LENGTH = 1000;
/** The distance that a pattern may look back before a match, in UTF-16 units. */
const LOOK_BACK_LENGTH = 100;

/** A part of a growing text to look for matches in. */
export interface TextPiece {
  text: string;
  /** The possible start of a match. */
  from: number;
  /** Nothing follows. */
  isEnd: boolean;
}

/**
 * A text that grows, handed out in pieces that overlap by as much as a match may be long: looking through all of them costs in proportion to
 * the text, and only its end is kept.
 */
export class TextWindow {
  #kept = "";
  #isCut = false;
  #fresh = "";
  #isEnded = false;

  get isEnded(): boolean {
    return this.#isEnded;
  }

  add(text: string): void {
    this.#fresh += text;
  }

  end(): void {
    this.#isEnded = true;
  }

  /** Returns the pieces since the last call, each with the text before it. */
  *pieces(): Generator<TextPiece> {
    const fresh = this.#fresh;
    this.#fresh = "";
    for (let at = 0; at < fresh.length || (at === 0 && this.#isEnded); at += MAX_MATCH_LENGTH) {
      const text = this.#kept + fresh.slice(at, at + MAX_MATCH_LENGTH);
      const isEnd = this.#isEnded && at + MAX_MATCH_LENGTH >= fresh.length;
      yield { text, from: this.#isCut ? LOOK_BACK_LENGTH : 0, isEnd };
      this.#isCut ||= text.length > LOOK_BACK_LENGTH + MAX_MATCH_LENGTH;
      this.#kept = text.slice(-(LOOK_BACK_LENGTH + MAX_MATCH_LENGTH));
    }
  }
}

/**
 * True if a pattern with the flag `g` matches a piece for certain. A match that reaches up to the end of a text that goes on may still
 * change, so it waits for more, unless it is long; that way it makes no difference in which portions a text comes.
 */
export function matchesPiece(pattern: RegExp, { text, from, isEnd }: TextPiece): boolean {
  pattern.lastIndex = from;
  const match = pattern.exec(text);
  if (match === null) return false;
  const { length } = match[0];
  return isEnd || match.index + length < text.length || length > MAX_MATCH_LENGTH / 2;
}
