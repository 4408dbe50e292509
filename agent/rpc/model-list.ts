import type { Model } from "../protocol/model.ts";

const HEADINGS = ["provider", "model", "context", "max-out", "thinking", "images"];

/**
 * Returns the models as pi's `--list-models` prints them, for programs that read its table: a line of headings, then columns two spaces
 * apart, sorted by provider and id.
 * @param search parts that all have to occur in provider and id, with other characters between theirs.
 */
export function modelList(models: readonly Model[], search: string): string {
  if (models.length === 0) {
    return "No models available. Set API keys in environment variables, such as ANTHROPIC_API_KEY, or add models to models.json.";
  }
  const found = models.filter((model) => isMeant(search, model)).sort(byName);
  if (found.length === 0) return `No models matching "${search}"`;
  const rows = [HEADINGS, ...found.map(rowOf)];
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")).join("\n");
}

function rowOf({ provider, id, contextWindow, maxTokens, reasoning, input }: Model): string[] {
  const yesOrNo = (is: boolean) => (is ? "yes" : "no");
  return [provider, id, short(contextWindow), short(maxTokens), yesOrNo(reasoning), yesOrNo(input.includes("image"))];
}

function isMeant(search: string, { provider, id }: Model): boolean {
  const text = `${provider} ${id}`.toLowerCase();
  const parts = search.toLowerCase().split(/[\s/]+/);
  return parts.every((part) => hasInOrder(text, part));
}

function hasInOrder(text: string, characters: string): boolean {
  let at = -1;
  for (const character of characters) {
    at = text.indexOf(character, at + 1);
    if (at === -1) return false;
  }
  return true;
}

function byName(a: Model, b: Model): number {
  return a.provider.localeCompare(b.provider) || a.id.localeCompare(b.id);
}

/** A number of tokens as 200K or 1M, with one digit behind the point where it is needed. */
function short(tokens: number): string {
  const [unit, letter] = tokens >= 1_000_000 ? [1_000_000, "M"] : [1000, "K"];
  if (tokens < 1000) return String(tokens);
  const amount = tokens / unit;
  return `${Number.isInteger(amount) ? amount : amount.toFixed(1)}${letter}`;
}
