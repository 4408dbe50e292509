import { type Model, ThinkingLevel } from "../protocol/model.ts";

/** A model that a pattern means, with the level that the pattern asked for. */
export interface ModelMatch {
  model: Model;
  thinkingLevel?: ThinkingLevel | undefined;
}

const MAX_NEAR = 3;

/**
 * Finds what a pattern means: an exact `provider/id`, else an exact id, which may begin with the name of another provider, else a glob with `*` or `?`, else words that all stand in id or name. The words on one
 * side of a slash have to stand in one part of `provider/id`, those behind it in a later one. The whole pattern is tried first, since ids may hold
 * colons; then without the level at its end. Models for which `isPreferred` come first.
 */
export function matchModels(
  pattern: string,
  models: readonly Model[],
  isPreferred: (provider: string) => boolean,
): ModelMatch[] {
  const whole = find(pattern.trim(), models, isPreferred);
  if (whole.length > 0) return whole.map((model) => ({ model }));
  const { name, thinkingLevel } = splitLevel(pattern.trim());
  if (thinkingLevel === undefined) return [];
  return find(name, models, isPreferred).map((model) => ({ model, thinkingLevel }));
}

/** Returns the models that a pattern without a match comes close to: with the most of its words, at least half of them; the best first. */
export function nearModels(pattern: string, models: readonly Model[]): Model[] {
  const words = [...new Set(plain(splitLevel(pattern).name).split(" "))].filter((word) => word !== "");
  return models
    .map((model) => ({ model, count: words.filter((word) => ` ${plainText(model)}`.includes(` ${word}`)).length }))
    .filter(({ count }) => count > 0 && count * 2 >= words.length)
    .sort((a, b) => b.count - a.count)
    .slice(0, MAX_NEAR)
    .map(({ model }) => model);
}

/** Splits `name:level` at the last colon when what follows is a level. */
export function splitLevel(pattern: string): { name: string; thinkingLevel?: ThinkingLevel | undefined } {
  const at = pattern.lastIndexOf(":");
  const level = at === -1 ? undefined : ThinkingLevel.safeParse(pattern.slice(at + 1));
  return level?.success ? { name: pattern.slice(0, at), thinkingLevel: level.data } : { name: pattern };
}

function find(name: string, models: readonly Model[], isPreferred: (provider: string) => boolean): Model[] {
  const wanted = name.toLowerCase();
  if (wanted === "") return [];
  const ranks = new Map<string, number>();
  for (const test of [isAddress, isId, isLike, hasPhrase, hasWords]) {
    const found = models.filter((model) => test(wanted, model));
    if (found.length > 0) return [...found].sort((a, b) => rank(a) - rank(b));
  }
  return [];

  function rank({ provider }: Model): number {
    const known = ranks.get(provider) ?? (isPreferred(provider) ? 0 : 1);
    ranks.set(provider, known);
    return known;
  }
}

function isAddress(wanted: string, { provider, id }: Model): boolean {
  return wanted === `${provider}/${id}`.toLowerCase();
}

function isId(wanted: string, { id }: Model): boolean {
  return wanted === id.toLowerCase();
}

function isLike(wanted: string, model: Model): boolean {
  if (!/[*?]/.test(wanted)) return false;
  const source = wanted
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replace(/\*+/g, ".*")
    .replace(/\?/g, ".");
  const glob = new RegExp(`^${source}$`);
  const id = model.id.toLowerCase();
  return glob.test(id) || glob.test(`${model.provider.toLowerCase()}/${id}`);
}

function hasPhrase(wanted: string, model: Model): boolean {
  return plain(wanted) !== "" && !wanted.includes("/") && ` ${plainText(model)} `.includes(` ${plain(wanted)} `);
}

function hasWords(wanted: string, model: Model): boolean {
  if (plain(wanted) === "") return false;
  if (!wanted.includes("/")) return allIn(wanted, plainText(model));
  const path = `${model.provider}/${model.id}`.split("/").map(plain);
  const parts = path.with(-1, `${path.at(-1)} ${plain(model.name)}`);
  let next = 0;
  return wanted.split("/").every((words) => {
    const at = parts.findIndex((part, index) => index >= next && allIn(words, part));
    next = at + 1;
    return at !== -1;
  });
}

function allIn(words: string, text: string): boolean {
  return plain(words)
    .split(" ")
    .every((word) => text.includes(word));
}

function plainText(model: Model): string {
  return plain(`${model.provider} ${model.id} ${model.name}`);
}

/** Lower case with one space for every run of punctuation, so that `opus 5.5` finds `claude-opus-5-5`. */
function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}
