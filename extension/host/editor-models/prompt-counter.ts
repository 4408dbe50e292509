import { createHash } from "node:crypto";
import { type LmMessage, textOf } from "./lm-messages.ts";

/** The number of tokens up to a message of a conversation. */
interface Mark {
  /** Hash of all messages up to this one. */
  readonly hash: string;
  readonly tokens: number;
}

type CountTokens = (text: string) => PromiseLike<number>;

/**
 * Counts the tokens of a conversation with a model's own tokenizer. A request repeats the previous one, so only new messages are counted, in
 * one call whatever their length. Images are not counted, since a tokenizer sees text.
 */
export class PromptCounter {
  #marks: readonly Mark[] = [];

  /** Counts for one model; each model needs a counter of its own. */
  async count(messages: readonly LmMessage[], countTokens: CountTokens): Promise<number> {
    const hashes = hashesOf(messages);
    const known = this.#marks.findLast(({ hash }) => hashes.includes(hash));
    const from = known === undefined ? 0 : hashes.indexOf(known.hash) + 1;
    const fresh = textOf(messages.slice(from));
    const tokens = (known?.tokens ?? 0) + (fresh === "" ? 0 : await countTokens(fresh));
    const hash = hashes.at(-1);
    const kept = this.#marks.filter((mark) => hashes.includes(mark.hash));
    this.#marks = hash === undefined || kept.some((mark) => mark.hash === hash) ? kept : [...kept, { hash, tokens }];
    return tokens;
  }
}

/** Returns for each message a hash of the conversation up to it. */
function hashesOf(messages: readonly LmMessage[]): string[] {
  const hash = createHash("sha256");
  return messages.map((message) => hash.update(JSON.stringify(message)).copy().digest("base64"));
}
