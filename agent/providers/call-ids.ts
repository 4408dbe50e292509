import { crypto } from "../util/late-node.ts";

const FORBIDDEN = /[^a-zA-Z0-9_-]/g;
const SHORT = /^[a-zA-Z0-9]{9}$/;

/** Returns the replacement of an ID that occurs for the `number`th time in a conversation, counted from 1. */
type IdShape = (id: string, number: number) => string;

/** Letters, digits, `_` and `-`. @param maxLength in characters. */
export function plainIds(maxLength = Number.POSITIVE_INFINITY): IdShape {
  return (id, number) => {
    const suffix = number === 1 ? "" : `_${number}`;
    return (id.replace(FORBIDDEN, "_") || "call").slice(0, maxLength - suffix.length) + suffix;
  };
}

/** Nine letters and digits. */
export const shortIds: IdShape = (id, number) =>
  number === 1 && SHORT.test(id)
    ? id
    : crypto().createHash("sha256").update(`${id} ${number}`).digest("hex").slice(0, 9);

/** Ids of tool calls as services take them, each once in a conversation. */
export class CallIds {
  readonly #shape: IdShape;
  readonly #used = new Set<string>();
  readonly #current = new Map<string, string>();

  constructor(shape: IdShape = plainIds()) {
    this.#shape = shape;
  }

  ofCall(id: string): string {
    let free = this.#shape(id, 1);
    for (let number = 2; this.#used.has(free); number += 1) free = this.#shape(id, number);
    this.#used.add(free);
    this.#current.set(id, free);
    return free;
  }

  ofResult(id: string): string {
    return this.#current.get(id) ?? id;
  }
}
