import * as z from "zod";
import { Cost, Model } from "../../protocol/model.ts";
import { CATALOGUE } from "../../providers/catalogue.ts";

const MESSAGES_API = "anthropic-messages";

const Tiers = z.object({ tiers: z.array(Cost.extend({ inputTokensAbove: z.number() })).optional() });

/** A model as an author writes it for a provider. */
export const ModelDefinition = Model.unwrap()
  .partial({
    name: true,
    api: true,
    provider: true,
    baseUrl: true,
    reasoning: true,
    input: true,
    contextWindow: true,
    maxTokens: true,
  })
  .extend({
    id: z.string().min(1),
    cost: Cost.partial().and(Tiers).optional(),
    contextWindow: z.int().positive().optional(),
    maxTokens: z.int().positive().optional(),
  });
export type ModelDefinition = z.infer<typeof ModelDefinition>;

/** A whole model that an extension hands over for one request. */
const GivenModel = ModelDefinition.safeExtend({ api: z.string(), provider: z.string(), baseUrl: z.string() });

/** Defaults for the fields of a model. */
export interface ModelDefaults {
  provider: string;
  api: string;
  baseUrl: string;
}

/**
 * Reads the model of a request.
 * @param api the wire to use in place of the model's own.
 * @throws ZodError when it is none.
 */
export function readModel(given: unknown, api?: string): Model {
  const model = GivenModel.parse(given);
  return toModel({ ...model, api: api ?? model.api }, model);
}

/**
 * Creates a model from an author's definition. The known facts about a Claude model apply unless the author overrides
 * them.
 */
export function toModel(definition: ModelDefinition, { provider, api, baseUrl }: ModelDefaults): Model {
  const { cost, compat = {}, ...given } = definition;
  const wire = given.api ?? api;
  const known = wire === MESSAGES_API ? CATALOGUE.find(({ id }) => id === given.id) : undefined;
  const isAdaptive = compat.forceAdaptiveThinking === true || known?.thinking?.mode === "adaptive";
  const [tier] = cost?.tiers ?? [];
  const { longPrompt, ...bound } = known?.compat ?? {};
  const quirks = {
    ...bound,
    ...(cost === undefined && longPrompt !== undefined ? { longPrompt } : {}),
    ...compat,
    ...(tier === undefined ? {} : { longPrompt: { aboveTokens: tier.inputTokensAbove, cost: Cost.parse(tier) } }),
  };
  const levels = { ...known?.thinkingLevelMap, ...given.thinkingLevelMap };
  return {
    name: given.id,
    reasoning: false,
    input: ["text"],
    contextWindow: 128_000,
    maxTokens: 16_384,
    ...given,
    api: wire,
    provider,
    baseUrl: given.baseUrl ?? baseUrl,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, ...(cost === undefined ? {} : withoutTiers(cost)) },
    ...(Object.keys(quirks).length === 0 ? {} : { compat: quirks }),
    ...(Object.keys(levels).length === 0 ? {} : { thinkingLevelMap: levels }),
    ...(isAdaptive ? { thinking: { minLevel: "off", maxLevel: "xhigh", mode: "adaptive" } } : {}),
  };
}

function withoutTiers({ tiers, ...prices }: NonNullable<ModelDefinition["cost"]>): Partial<Cost> {
  return prices;
}
