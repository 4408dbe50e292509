type Token = "star" | ((character: string) => boolean);

/**
 * Returns a test for names that a shell glob may match. Its time is linear in both lengths, because globs come from a
 * model. An unknown kind of glob matches everything.
 * @param isForDots true when any glob may match names that begin with a dot, as for `find`.
 */
export function globTest(glob: string, isForDots = false): (name: string) => boolean {
  const tokens = tokensOf(glob);
  if (tokens === undefined) return () => true;
  return (name) => (isForDots || glob.startsWith(".") || !name.startsWith(".")) && matches(tokens, [...name]);
}

function tokensOf(glob: string): Token[] | undefined {
  if (glob.includes("[:") || glob.includes("[=") || glob.includes("[.")) return undefined;
  const tokens: Token[] = [];
  const characters = [...glob];
  for (let index = 0; index < characters.length; index++) {
    const one = characters[index];
    if (one === "*") {
      if (tokens.at(-1) !== "star") tokens.push("star");
    } else if (one === "?") {
      tokens.push(() => true);
    } else if (one === "[") {
      const end = characters.indexOf("]", index + (/[!^]/.test(characters[index + 1] ?? "") ? 3 : 2));
      if (end === -1) return undefined;
      tokens.push(oneOf(characters.slice(index + 1, end)));
      index = end;
    } else {
      const literal = one === "\\" ? characters[++index] : one;
      tokens.push((character) => character === literal);
    }
  }
  return tokens;
}

function oneOf(members: readonly string[]): (character: string) => boolean {
  const isNegated = members[0] === "!" || members[0] === "^";
  const listed = isNegated ? members.slice(1) : members;
  return (character) => {
    for (let index = 0; index < listed.length; index++) {
      const first = listed[index] ?? "";
      const isRange = listed[index + 1] === "-" && index + 2 < listed.length;
      const last = isRange ? (listed[index + 2] ?? "") : first;
      if (character >= first && character <= last) return !isNegated;
      if (isRange) index += 2;
    }
    return isNegated;
  };
}

/** After a mismatch, only the last star needs another try: an earlier one could not match more. */
function matches(tokens: readonly Token[], name: readonly string[]): boolean {
  let at = 0;
  let token = 0;
  let star = -1;
  let starAt = 0;
  while (at < name.length) {
    const current = tokens[token];
    if (current === "star") {
      star = token++;
      starAt = at;
    } else if (current?.(name[at] ?? "") === true) {
      token++;
      at++;
    } else if (star >= 0) {
      token = star + 1;
      at = ++starAt;
    } else return false;
  }
  while (tokens[token] === "star") token++;
  return token === tokens.length;
}
