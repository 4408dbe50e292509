/** Licenses that a shipped package may have, by SPDX id. With a notice, all allow use in a product that is sold or closed-source. */
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
 * Returns the license to use a package under: the first allowed choice of an SPDX expression, or all its parts if they apply together.
 * Returns undefined if no choice is allowed.
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
