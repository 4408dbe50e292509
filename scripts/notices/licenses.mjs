/** Licenses under which a package may ship, by SPDX id. All allow it in a product that is sold or kept secret, with a notice. */
const ALLOWED = new Set([
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "CC-BY-4.0",
  "CC0-1.0",
  "ISC",
  "MIT",
  "MIT-0",
  "Python-2.0",
  "Unlicense",
]);

/**
 * Returns the license to use a package under: the first choice in an SPDX expression that is allowed, every part of it when several apply
 * at once, and undefined when there is none.
 */
export function usableLicense(expression) {
  const tokens = expression.match(/[()]|[^\s()]+/g) ?? [];
  const found = readChoice(tokens);
  return tokens.length === 0 ? found : undefined;
}

function readChoice(tokens) {
  let chosen = readAll(tokens);
  while (tokens[0] === "OR") {
    tokens.shift();
    const other = readAll(tokens);
    chosen ??= other;
  }
  return chosen;
}

function readAll(tokens) {
  const parts = [readPart(tokens)];
  while (tokens[0] === "AND") {
    tokens.shift();
    parts.push(readPart(tokens));
  }
  return parts.includes(undefined) ? undefined : parts.join(" AND ");
}

function readPart(tokens) {
  const token = tokens.shift();
  if (token !== "(") return ALLOWED.has(token) ? token : undefined;
  const inner = readChoice(tokens);
  return tokens.shift() === ")" ? inner : undefined;
}
