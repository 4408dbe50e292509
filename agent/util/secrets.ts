/** A piece of a text, in UTF-16 units from its start; `end` is behind it. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** The replacement for a secret. */
export const REDACTED = "[redacted]";

/** Finds what must not be seen in a text: ranges in order that do not touch each other. */
export type FindSecrets = (text: string) => TextRange[];

/** Shorter values are words that would be cut out of a text everywhere. */
const MIN_SECRET_CHARS = 8;
/** No shorter text matches anything: an address with a password. */
const SHORTEST = 7;
/** Longer names are no names. */
const MAX_NAME_CHARS = 100;
/** The number of levels of escapes that are undone: JSON in a string of JSON in a string of JSON, and one more. */
const MAX_DEPTH = 4;

/**
 * What a secret looks like. The group `secret` is what must not be seen; without it the whole match is. Every expression is linear: what may
 * repeat cannot begin again inside itself.
 */
const SHAPES: readonly RegExp[] = [
  // Keys by the prefixes that their makers give them. `sk-` alone ends too many words, so it must begin one.
  /sk-(?:ant|proj|or|svcacct)-[\w-]{4,}|(?<![A-Za-z0-9])(?:sk-[\w-]{16,}|[srp]k_(?:live|test)_\w{10,})/dg,
  /gh[pousr]_\w{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}|xox[abeoprs](?:\.xox[bp])?-[\w-]{10,}|xapp-[\w-]{10,}|AIza[\w-]{35}|ya29\.[\w-]{20,}/dg,
  /(?<![A-Za-z0-9])(?:(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}|npm_[A-Za-z0-9]{30,}|hf_[A-Za-z0-9]{20,}|gsk_\w{16,}|xai-\w{16,}|pypi-[\w-]{20,})/dg,
  /(?<![A-Za-z0-9])(?:SG\.[\w-]{16,}\.[\w-]{16,}|hv[sbr]\.[\w-]{20,}|GOCSPX-[\w-]{20,}|dckr_pat_[\w-]{20,}|figd_[\w-]{20,}|lin_api_\w{20,}|pplx-\w{20,}|glsa_\w{20,}|ATATT3[\w-]{20,})/dg,
  /(?<![A-Za-z0-9])(?:SK[0-9a-f]{32}|key-[0-9a-f]{32}|dapi[0-9a-f]{32}|dop_v1_[0-9a-f]{64}|shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32})(?![0-9a-fA-F])/dg,
  // The older form of Vault's tokens has a digit, which tells it from a name in code.
  /(?<![\w.$-])s\.(?=[A-Za-z]{0,23}\d)[A-Za-z0-9]{24}(?![\w.])/dg,
  /AGE-SECRET-KEY-1[A-Z0-9]{20,}|(?<=hooks\.slack\.com\/(?:services|workflows|triggers)\/)[\w/-]{8,}|(?<=discord(?:app)?\.com\/api\/webhooks\/\d{5,25}\/)[\w-]{20,}/dgi,
  // Azure: keys in connection strings, signatures of links, and secrets of applications.
  /\b(?:AccountKey|SharedAccessKey|SharedAccessSignature)\s{0,3}=\s{0,3}(?<secret>[^\s;"',<>]{6,})/dgi,
  /\bsig=(?<secret>[A-Za-z0-9+/%]{20,200}={0,2})|(?<![\w~.-])[\w~.-]{3}8Q~[\w~.-]{31,34}(?![\w~.-])/dg,
  // A line of .netrc, however it is broken up, of .npmrc, and of Docker's configuration.
  /\b(?:machine\s{1,20}\S{1,253}|default(?=\s{1,80}(?:login|account)\s))\s{1,80}(?:(?:login|account)\s{1,20}\S{1,200}\s{1,80}){0,2}password\s{1,20}(?<secret>\S{1,500})/dg,
  /(?<!\w)_(?:auth|authToken|password)\s{0,3}=\s{0,3}["']?(?<secret>[^\s"']{4,})|"auth"\s{0,4}:\s{0,4}"(?<other>[A-Za-z0-9+/]{12,}={0,2})"/dg,
  // A signed token: three parts of base64, the first of which begins with a brace.
  /(?<![\w-])eyJ[\w-]{8,}\.[\w-]{4,}\.[\w-]{4,}/dg,
  // Without its end, because the text is cut there, a key reaches to the end of the text.
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/dg,
  // A token behind `Bearer` has a digit or is long; a word of a sentence has neither.
  /\bBearer\s{1,8}(?<secret>(?:(?=[A-Za-z._~+/-]{0,200}\d)[\w.~+/-]{8,}|[\w.~+/-]{20,})=*)/dgi,
  /\b(?:proxy-)?authorization["']?\s{0,4}[:=]\s{0,4}["']?(?:bearer|basic|token)\s{1,8}(?<secret>[^\s"',;<>]+)/dgi,
  /\b(?:proxy-)?authorization["']?\s{0,4}[:=]\s{0,4}["']?(?!(?:bearer|basic|token)\b)(?<secret>[^\s"'\r\n][^"'\r\n]*)/dgi,
  /\b(?:set-)?cookie["']?\s{0,4}:\s{0,4}["']?(?<secret>[^\s"'\r\n][^"'\r\n]*)/dgi,
  /\b(?:x-(?:goog-)?api-key|api-key|x-auth-token|private-token)["']?\s{0,4}[:=]\s{0,4}["']?(?<secret>[^\s"',;]+)/dgi,
  // What is assigned to a name that says what it is. Lower-case names stand in code too, where a word is no secret.
  /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)[A-Z0-9_]{0,40}["']?\s{0,3}[:=]\s{0,3}["']?(?<secret>(?!\d{1,9}\b)[^\s"'\\,;&<>(){}[\]$]{6,})/dg,
  /(?:api[_-]?key|(?:secret|private|access)[_-]?key|(?:access|refresh|auth|id|session|bearer)[_-]?token|client[_-]?secret|passw(?:or)?d|passphrase)["']?\s{0,3}[:=]\s{0,3}["'](?<secret>[^"'\r\n]{4,})["']/dgi,
  /(?:api[_-]?key|(?:secret|private|access)[_-]?key|(?:access|refresh|auth|id|session|bearer)[_-]?token|client[_-]?secret|passw(?:or)?d|passphrase)\s{0,3}[:=]\s{0,3}(?<secret>(?=[^\s"'\\,;&<>(){}[\]$\d]{0,200}\d)[^\s"'\\,;&<>(){}[\]$]{6,})/dgi,
  /[?&](?:api_?key|key|token|access_token|secret|sig(?:nature)?)=(?<secret>[^&\s"'#]{6,})/dgi,
  // A password in an address.
  /:\/\/[^\s/:@"']{0,100}:(?<secret>[^\s/@"']{1,300})@/dg,
];

/** Variables and fields that hold secrets, by their names. */
const ENV_NAME = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL/i;
const FIELD_NAMES: readonly RegExp[] = [
  /(?:^|[_-])(?:authorization|cookies?|passw(?:or)?d|passphrase|secrets?|credentials?|token|api-?key)$/i,
  /(?:^|_)(?:api|secret|private|access)_key$|(?:^|[a-z])(?:Password|Secret)$/,
  /(?:api|secret|private|access|account)Key$|(?:access|refresh|auth|id|session|bearer|api)Token$/i,
  /^[A-Z0-9_]*(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL)S?$/,
];

/** True if what a field of this name holds is a secret. */
export function isSecretName(name: string): boolean {
  return name.length <= MAX_NAME_CHARS && FIELD_NAMES.some((shape) => shape.test(name));
}

/** The values of an environment that stand under names such as `…KEY`, `…TOKEN` and `…SECRET`. */
export function secretsOfEnv(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(env).flatMap(([name, value]) => (value && ENV_NAME.test(name) ? [value] : []));
}

/**
 * Makes a function that finds what must not be seen in a text: what looks like a key, and every one of `known` that has 8 characters or more.
 * Escapes of JSON hide nothing, also not those of JSON in JSON.
 */
export function secretFinder(known: readonly string[]): FindSecrets {
  const values = [...new Set(known.flatMap((secret) => [secret, secret.trim(), encodeURIComponent(secret)]))].filter(
    (secret) => secret.length >= MIN_SECRET_CHARS,
  );
  return (text) => {
    if (text.length < SHORTEST) return [];
    const found: TextRange[] = [];
    let level: Level = { text, sourceOf: undefined };
    for (let depth = 0; depth <= MAX_DEPTH; depth += 1) {
      for (const range of rangesIn(level.text, values)) found.push(inSource(range, level));
      if (!level.text.includes("\\")) break;
      level = unescaped(level);
    }
    return merged(found);
  };
}

/** Returns the text with `[redacted]` in place of each secret. @param hide called with each secret. */
export function withoutSecrets(text: string, find: FindSecrets, hide?: (secret: string) => void): string {
  const parts: string[] = [];
  let done = 0;
  for (const { start, end } of find(text)) {
    parts.push(text.slice(done, start), REDACTED);
    hide?.(text.slice(start, end));
    done = end;
  }
  return done === 0 ? text : parts.join("") + text.slice(done);
}

/** A text and where its characters come from: character `i` from `sourceOf[i]` on, up to `sourceOf[i + 1]`. */
interface Level {
  readonly text: string;
  readonly sourceOf: Uint32Array | undefined;
}

function rangesIn(text: string, values: readonly string[]): TextRange[] {
  const found: TextRange[] = [];
  for (const shape of SHAPES) {
    for (const { indices } of text.matchAll(shape)) {
      const range = indices?.groups?.secret ?? indices?.groups?.other ?? indices?.[0];
      if (range !== undefined) found.push({ start: range[0], end: range[1] });
    }
  }
  for (const value of values) {
    for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + value.length)) {
      found.push({ start: at, end: at + value.length });
    }
  }
  return found;
}

function inSource({ start, end }: TextRange, { sourceOf }: Level): TextRange {
  if (sourceOf === undefined) return { start, end };
  return { start: sourceOf[start] ?? 0, end: sourceOf[end] ?? 0 };
}

const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))/g;
const MEANT: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/** Undoes one layer of escapes. */
function unescaped({ text, sourceOf }: Level): Level {
  const places = new Uint32Array(text.length + 1);
  const place = (at: number) => (sourceOf === undefined ? at : (sourceOf[at] ?? 0));
  const parts: string[] = [];
  let length = 0;
  let done = 0;
  const copy = (until: number) => {
    for (let at = done; at < until; at += 1) {
      places[length] = place(at);
      length += 1;
    }
    parts.push(text.slice(done, until));
  };
  for (const match of text.matchAll(ESCAPE)) {
    const [all, code, letter = ""] = match;
    copy(match.index);
    places[length] = place(match.index);
    length += 1;
    parts.push(code === undefined ? (MEANT[letter] ?? letter) : String.fromCharCode(Number.parseInt(code, 16)));
    done = match.index + all.length;
  }
  copy(text.length);
  places[length] = place(text.length);
  return { text: parts.join(""), sourceOf: places.subarray(0, length + 1) };
}

function merged(ranges: TextRange[]): TextRange[] {
  const result: { start: number; end: number }[] = [];
  for (const { start, end } of ranges.sort((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else result.push({ start, end });
  }
  return result;
}
