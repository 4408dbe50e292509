/** What stands where a key stood. */
const PLACEHOLDER = "[redacted]";
/** Shorter values are words that would be cut out of the text everywhere. */
const MIN_SECRET_CHARACTERS = 8;

/** Keys by the prefixes that their makers give them. `sk-` alone ends too many words, so it must begin one. */
const KEYS = new RegExp(
  [
    "sk-(?:ant|proj|or|svcacct)-[\\w-]{4,}",
    "(?:(?<![A-Za-z0-9])|(?<=\\\\[nrt]))sk-[\\w-]{16,}",
    "gh[pousr]_\\w{16,}",
    "github_pat_\\w{16,}",
    "glpat-[\\w-]{16,}",
    "gsk_\\w{16,}",
    "xai-\\w{16,}",
    "xox[abeoprs]-[\\w-]{10,}",
    "(?:AKIA|ASIA)[A-Z0-9]{16}",
    "AIza[\\w-]{35}",
  ].join("|"),
  "g",
);
/** A token behind `Bearer` has a digit or is long; a word of a sentence has neither. */
const BEARER = /\b(Bearer\s{1,8})((?:(?=\S*\d)[\w.~+/-]{8,}|[\w.~+/-]{20,})=*)/gi;

/** Gives a text without what must not be in it. */
export type Redact = (text: string) => string;

/** Hides secrets, and knows what it has hidden. */
export interface Redactor {
  readonly redact: Redact;
  /** How many different secrets were found so far. */
  count(): number;
}

/** Makes a redactor that replaces what looks like a key, and every one of `secrets`, by `[redacted]`. */
export function createRedactor(secrets: readonly string[]): Redactor {
  const known = [...new Set(secrets)].filter((secret) => secret.length >= MIN_SECRET_CHARACTERS);
  // The longest first: one may begin with another.
  const values = known.sort((a, b) => b.length - a.length).map((secret) => secret.replace(/[^\w]/g, escapeCharacter));
  const exact = values.length === 0 ? undefined : new RegExp(values.join("|"), "g");
  const found = new Set<string>();
  const hide = (secret: string) => {
    found.add(secret);
    return PLACEHOLDER;
  };
  return {
    redact(text) {
      const shaped = (exact === undefined ? text : text.replace(exact, hide)).replace(KEYS, hide);
      return shaped.replace(BEARER, (_all, scheme: string, token: string) => `${scheme}${hide(token)}`);
    },
    count: () => found.size,
  };
}

/** Hides nothing. */
export const KEEP_SECRETS: Redactor = { redact: (text) => text, count: () => 0 };

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
