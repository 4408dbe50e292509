import * as z from "zod";

const Prices = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
});
type Prices = z.infer<typeof Prices>;

const SourceModel = z.object({
  type: z.string(),
  id: z.string().min(1),
  name: z.string().min(1),
  reasoning: z.boolean(),
  input: z.array(z.string()),
  cost: Prices.extend({ tiers: z.array(Prices.extend({ inputTokensAbove: z.int() })).optional() }),
  contextWindow: z.int().positive(),
  maxTokens: z.int().positive(),
  thinkingLevelMap: z.record(z.string(), z.string().nullable()).optional(),
  compat: z
    .object({
      supportsReasoningEffort: z.boolean().optional(),
      requiresReasoningContentOnAssistantMessages: z.boolean().optional(),
    })
    .optional(),
});

/** A model as the source describes it. */
export type SourceModel = z.infer<typeof SourceModel>;

/** The source's file about one provider: its models by API, then by a name of the source's own. */
const SourceFile = z.record(z.string(), z.record(z.string(), z.unknown()));

/** The part of a provider that the table takes. */
export interface Choice {
  /** The model that a first start uses. */
  best: string;
  /** The source's names of the APIs whose models are taken; all without it. */
  apis?: readonly string[];
  /** Ids that are left out. */
  without?: RegExp;
  /** Corrects an entry that describes another API than ours. */
  mend?: (model: SourceModel) => SourceModel;
}

const LEVELS = ["off", "minimal", "low", "medium", "high", "xhigh", "max"];
/** Levels that a model has only if the source says so. */
const RARE_LEVELS = new Set(["xhigh", "max"]);

/** A smaller window has no room for the tools and a conversation. */
const MIN_WINDOW = 16_000;

/** Returns the chat models in a file of the source. */
export function chatModels(file: unknown, apis?: readonly string[]): SourceModel[] {
  return Object.entries(SourceFile.parse(file))
    .filter(([api]) => apis === undefined || apis.includes(api))
    .flatMap(([, models]) => Object.values(models))
    .filter((model) => z.looseObject({ type: z.string() }).parse(model).type === "chat")
    .map((model) => SourceModel.parse(model));
}

/**
 * Returns the rows of a provider's models, the best first, the others by id.
 * @throws Error when the best is not among them.
 */
export function rowsOf(file: unknown, { best, apis, without, mend = (model) => model }: Choice): string[] {
  const models = chatModels(file, apis).filter(
    ({ id, contextWindow }) => contextWindow >= MIN_WINDOW && without?.test(id) !== true,
  );
  const byId = new Map(models.map((model) => [model.id, model]));
  if (!byId.has(best)) throw new Error(`The source has no ${best}.`);
  const rank = ({ id }: SourceModel) => (id === best ? 0 : 1);
  const sorted = [...byId.values()].sort((a, b) => rank(a) - rank(b) || (a.id < b.id ? -1 : 1));
  return sorted.map((model) => rowOf(mend(model)));
}

/** Writes a row as `agent/providers/known-models.ts` reads it. */
function rowOf(model: SourceModel): string {
  const { id, name, cost, contextWindow, maxTokens } = model;
  const [tier] = (cost.tiers ?? []).filter(({ inputTokensAbove }) => inputTokensAbove < contextWindow);
  const fields = [
    id,
    name,
    flagsOf(model),
    contextWindow,
    Math.min(maxTokens, contextWindow),
    pricesOf(cost),
    levelsOf(model),
    tier === undefined ? "" : `${tier.inputTokensAbove} ${pricesOf(tier)}`,
  ];
  return fields.join("\t").trimEnd();
}

function flagsOf({ reasoning, input, compat = {} }: SourceModel): string {
  const flags = [
    ["r", reasoning],
    ["i", input.includes("image")],
    ["e", reasoning && compat.supportsReasoningEffort === false],
    ["c", reasoning && compat.requiresReasoningContentOnAssistantMessages === true],
  ] as const;
  return flags.map(([flag, isOn]) => (isOn ? flag : "")).join("");
}

function pricesOf({ input, output, cacheRead, cacheWrite }: Prices): string {
  return [input, output, cacheRead, cacheWrite].map((price) => Number(Math.max(0, price).toFixed(6))).join(" ");
}

function levelsOf({ reasoning, thinkingLevelMap: map }: SourceModel): string {
  if (!reasoning || map === undefined) return "";
  return LEVELS.flatMap((level) => {
    const word = map[level];
    if (word === null || (word === undefined && RARE_LEVELS.has(level))) return [];
    return word === undefined || word === level ? [level] : [`${level}=${word}`];
  }).join(" ");
}
