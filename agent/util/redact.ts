import { secretFinder, withoutSecrets } from "./secrets.ts";

/** Gives a text without what must not be in it. */
export type Redact = (text: string) => string;

/** Hides secrets, and knows what it has hidden. */
export interface Redactor {
  readonly redact: Redact;
  /** The number of different secrets found so far. */
  count(): number;
}

/** Makes a redactor that replaces what looks like a key, and every one of `secrets`, by `[redacted]`. */
export function createRedactor(secrets: readonly string[]): Redactor {
  const find = secretFinder(secrets);
  const found = new Set<string>();
  return {
    redact: (text) => withoutSecrets(text, find, (secret) => found.add(secret)),
    count: () => found.size,
  };
}

/** Hides nothing. */
export const KEEP_SECRETS: Redactor = { redact: (text) => text, count: () => 0 };
