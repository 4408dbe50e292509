/** `folders` is any number of whole folders, none included. */
type Token = { kind: "character"; character: string } | { kind: "one" | "name" | "path" | "folders" };

/**
 * Makes a test for slash-separated paths: `*` and `?` stay within a name, `**` goes through folders, everything else is itself. A test
 * takes time in proportion to both lengths, whatever the glob: it may come from a project that nobody trusts.
 */
export function pathGlob(glob: string): (path: string) => boolean {
  const tokens = readTokens(glob);
  return (path) => {
    let places = new Set<number>();
    enter(tokens, 0, places);
    for (const character of path) {
      const next = new Set<number>();
      for (const place of places) step(tokens, place, character, next);
      places = next;
    }
    return places.has(tokens.length);
  };
}

function readTokens(glob: string): Token[] {
  const parts = glob.match(/\*\*\/|\*\*|[\s\S]/gu) ?? [];
  return parts.map((part): Token => {
    switch (part) {
      case "**/":
        return { kind: "folders" };
      case "**":
        return { kind: "path" };
      case "*":
        return { kind: "name" };
      case "?":
        return { kind: "one" };
      default:
        return { kind: "character", character: part };
    }
  });
}

/** Comes to a token, and to those behind it as long as each may stand for nothing. */
function enter(tokens: readonly Token[], from: number, places: Set<number>): void {
  for (let place = from; ; place++) {
    places.add(place);
    const kind = tokens[place]?.kind;
    if (kind !== "name" && kind !== "path" && kind !== "folders") return;
  }
}

/** Takes one character at a place, and adds the places where the rest may go on. */
function step(tokens: readonly Token[], place: number, character: string, next: Set<number>): void {
  const token = tokens[place];
  switch (token?.kind) {
    case "character":
      if (token.character === character) enter(tokens, place + 1, next);
      return;
    case "one":
      if (character !== "/") enter(tokens, place + 1, next);
      return;
    case "name":
      if (character !== "/") enter(tokens, place, next);
      return;
    case "path":
      enter(tokens, place, next);
      return;
    case "folders":
      next.add(place); // inside of a folder's name nothing may follow yet
      if (character === "/") enter(tokens, place + 1, next);
      return;
    case undefined:
      return;
  }
}
