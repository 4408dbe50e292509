import { createHash } from "node:crypto";
import { type LmMessage, textOf } from "./lm-messages.ts";

/** Up to a message of a conversation, how many tokens it takes. */
interface Mark {
  /** Of all messages up to this one. */
  readonly hash: string;
  readonly tokens: number;
}

type CountTokens = (text: string) => PromiseLike<number>;

/**
 * Counts what a conversation takes, as a model's own tokenizer does. A request repeats the one before it, so that only what is new is counted:
 * in one call, whatever its length. Pictures are not counted: a tokenizer sees text.
 */
export class PromptCounter {
  #marks: readonly Mark[] = [];

  /** Counts for one model; another one begins with a counter of its own. */
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

/** For each message a hash of the conversation up to it. */
function hashesOf(messages: readonly LmMessage[]): string[] {
  const hash = createHash("sha256");
  return messages.map((message) => hash.update(JSON.stringify(message)).copy().digest("base64"));
}
