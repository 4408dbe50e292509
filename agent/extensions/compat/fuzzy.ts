/** How well a text matches a query; a smaller score is better. */
interface FuzzyMatch {
  matches: boolean;
  score: number;
}

const NO_MATCH: FuzzyMatch = { matches: false, score: 0 };

/** Matches if the text contains all characters of the query in this order. Adjacent characters and starts of words improve the score. */
export function fuzzyMatch(query: string, text: string): FuzzyMatch {
  const wanted = query.toLowerCase();
  const searched = text.toLowerCase();
  let score = 0;
  let last = -1;
  for (const character of wanted) {
    const at = searched.indexOf(character, last + 1);
    if (at === -1) return NO_MATCH;
    const startsWord = at === 0 || /[\s\-_./:]/.test(searched.charAt(at - 1));
    score += (last === -1 ? 0 : at - last - 1) + (startsWord ? -2 : 0);
    last = at;
  }
  return { matches: true, score: searched === wanted ? score - 100 : score };
}

/** The items that fit every word of the query, the best first; all of them for an empty query. */
export function fuzzyFilter<Item>(items: readonly Item[], query: string, textOf: (item: Item) => string): Item[] {
  const words = query.split(/[\s/]+/).filter((word) => word !== "");
  if (words.length === 0) return [...items];
  const rated = items.flatMap((item) => {
    const matches = words.map((word) => fuzzyMatch(word, textOf(item)));
    if (!matches.every((match) => match.matches)) return [];
    return [{ item, score: matches.reduce((sum, match) => sum + match.score, 0) }];
  });
  return rated.sort((a, b) => a.score - b.score).map(({ item }) => item);
}
