import { type Model, type ThinkingLevel, ThinkingLevelInput } from "../protocol/model.ts";

/** A model that a pattern means, with the level that the pattern asked for. */
export interface ModelMatch {
  model: Model;
  thinkingLevel?: ThinkingLevel | undefined;
}

/**
 * Finds what a pattern means: an exact id or `provider/id`, else a glob with `*` or `?`, else words that all stand in id or name. The whole pattern is
 * tried first, since ids may hold colons; then without the level at its end. Models for which `isPreferred` come first.
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

/** Splits `name:level` at the last colon when what follows is a level; `max` is the highest. */
export function splitLevel(pattern: string): { name: string; thinkingLevel?: ThinkingLevel | undefined } {
  const at = pattern.lastIndexOf(":");
  const level = at === -1 ? undefined : ThinkingLevelInput.safeParse(pattern.slice(at + 1));
  return level?.success ? { name: pattern.slice(0, at), thinkingLevel: level.data } : { name: pattern };
}

function find(name: string, models: readonly Model[], isPreferred: (provider: string) => boolean): Model[] {
  const wanted = name.toLowerCase();
  if (wanted === "") return [];
  for (const test of [isExactly, isLike, hasWords]) {
    const found = models.filter((model) => test(wanted, model));
    if (found.length > 0) return [...found].sort((a, b) => rank(a) - rank(b));
  }
  return [];

  function rank(model: Model): number {
    return isPreferred(model.provider) ? 0 : 1;
  }
}

function isExactly(wanted: string, model: Model): boolean {
  const id = model.id.toLowerCase();
  return wanted === id || wanted === `${model.provider.toLowerCase()}/${id}`;
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

function hasWords(wanted: string, model: Model): boolean {
  const words = plain(wanted);
  const text = plain(`${model.provider} ${model.id} ${model.name}`);
  return words !== "" && words.split(" ").every((word) => text.includes(word));
}

/** Lower case with one space for every run of punctuation, so that `opus 5.5` finds `claude-opus-5-5`. */
function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}
