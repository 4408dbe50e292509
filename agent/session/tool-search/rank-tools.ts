import { fieldsOf } from "../../tools/json-schema.ts";
import type { AnyTool } from "../../tools/tool.ts";
import { toolWords, wordsLike } from "./tool-words.ts";

/** The weights of words by their place. */
const WEIGHTS = { name: 2, description: 1, parameters: 0.3 } as const;
/** The weight of a synonym of a word in the query. */
const LIKE_WEIGHT = 0.6;
/** The usual constants of BM25. */
const K1 = 1.2;
const B = 0.5;

type Place = keyof typeof WEIGHTS;
const PLACES: readonly Place[] = ["name", "description", "parameters"];

/** The words of a tool by their place, with the number of their occurrences. */
type Document = Readonly<Record<Place, { counts: ReadonlyMap<string, number>; length: number }>>;

/** A tool that matches a query; a higher score is a better match. */
export interface RankedTool {
  tool: AnyTool;
  score: number;
}

/** Returns the tools that match a query, best first: BM25 over their names, descriptions, and parameters. */
export function rankTools(query: string, tools: readonly AnyTool[]): RankedTool[] {
  const asked = [...new Set(toolWords(query))].map((word) => [
    { word, weight: 1 },
    ...wordsLike(word).map((like) => ({ word: like, weight: LIKE_WEIGHT })),
  ]);
  const documents = tools.map((tool) => ({ tool, document: documentOf(tool) }));
  const words = new Set(asked.flatMap((variants) => variants.map(({ word }) => word)));
  const scoreOf = scorer(
    documents.map(({ document }) => document),
    words,
  );
  return documents
    .map(({ tool, document }) => {
      const scores = asked.map((variants) =>
        Math.max(...variants.map(({ word, weight }) => weight * scoreOf(document, word))),
      );
      const covered = scores.filter((score) => score > 0).length / asked.length;
      return { tool, score: covered * scores.reduce((sum, score) => sum + score, 0) };
    })
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score || (one.tool.name < other.tool.name ? -1 : 1));
}

/** Returns a function that scores a word in a document by BM25. */
function scorer(documents: readonly Document[], words: ReadonlySet<string>) {
  const count = documents.length;
  const rarities = new Map<string, number>();
  for (const word of words) {
    const having = documents.filter((document) => PLACES.some((place) => document[place].counts.has(word))).length;
    rarities.set(word, Math.log(1 + (count - having + 0.5) / (having + 0.5)));
  }
  const meanLength = (place: Place) => documents.reduce((sum, document) => sum + document[place].length, 0) / count;
  const means = {
    name: meanLength("name"),
    description: meanLength("description"),
    parameters: meanLength("parameters"),
  };
  return (document: Document, word: string): number => {
    let score = 0;
    for (const place of PLACES) {
      const { counts, length } = document[place];
      const found = counts.get(word) ?? 0;
      if (found === 0) continue;
      score += (WEIGHTS[place] * found * (K1 + 1)) / (found + K1 * (1 - B + (B * length) / means[place]));
    }
    return score * (rarities.get(word) ?? 0);
  };
}

const known = new WeakMap<AnyTool, Document>();

function documentOf(tool: AnyTool): Document {
  const document = known.get(tool) ?? readDocument(tool);
  known.set(tool, document);
  return document;
}

function readDocument({ name, source = "", label, description, parameters }: AnyTool): Document {
  const title = label.endsWith(name) ? "" : label;
  return {
    name: countWords(name.replace(/^mcp__/, "")),
    description: countWords(`${source} ${title} ${description}`),
    parameters: countWords(Object.keys(fieldsOf(parameters)).join(" ")),
  };
}

function countWords(text: string): Document[Place] {
  const words = toolWords(text);
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return { counts, length: words.length };
}
