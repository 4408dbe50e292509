import type { Model, ThinkingLevel } from "../../agent/protocol/model.ts";
import { KEY_PROVIDERS, providerName } from "./key-providers.ts";

/** A model's name across providers, `provider/id`. */
export type ModelName = string;

/** What the list of models is made of. */
export interface ModelChoices {
  readonly models: readonly Model[];
  readonly current: ModelName | undefined;
  readonly thinkingLevel: ThinkingLevel;
  /** The ones chosen last, in any session, latest first. */
  readonly recent: readonly ModelName[];
  /** The ones that have answered in this session, latest first. */
  readonly used: readonly ModelName[];
}

/** One line of the list. */
export type ModelRow =
  | { readonly kind: "heading"; readonly label: string }
  | {
      readonly kind: "model";
      readonly model: Model;
      readonly label: string;
      readonly description: string;
      readonly detail: string;
      readonly isCurrent: boolean;
    }
  | { readonly kind: "setKey"; readonly provider: string; readonly label: string; readonly description: string };

export function modelName({ provider, id }: Pick<Model, "provider" | "id">): ModelName {
  return `${provider}/${id}`;
}

/** The list: the current model, recent ones, those of this session, all others by provider, then providers without a key. Each model stands in it once. */
export function modelRows(choices: ModelChoices): ModelRow[] {
  const left = new Map(choices.models.map((model) => [modelName(model), model]));
  const take = (names: readonly ModelName[]): Model[] =>
    names.flatMap((name) => {
      const model = left.get(name);
      left.delete(name);
      return model === undefined ? [] : [model];
    });
  const current = take(choices.current === undefined ? [] : [choices.current]);
  const groups: [string, Model[]][] = [
    ["Current", current],
    ["Recent", take(choices.recent)],
    ["This session", take(choices.used)],
  ];
  for (const provider of new Set([...left.values()].map((model) => model.provider))) {
    groups.push([providerName(provider), [...left.values()].filter((model) => model.provider === provider)]);
  }
  const rows = groups.flatMap(([label, models]): ModelRow[] =>
    models.length === 0 ? [] : [{ kind: "heading", label }, ...models.map((model) => modelRow(model, choices))],
  );
  return [...rows, ...keyRows(choices.models)];
}

function modelRow(model: Model, { current, thinkingLevel }: ModelChoices): ModelRow {
  const isCurrent = modelName(model) === current;
  const thinks = model.reasoning ? (isCurrent ? `thinking: ${thinkingLevel}` : "can think") : "does not think";
  const facts = [
    `${tokens(model.contextWindow)} tokens`,
    price(model),
    thinks,
    model.input.includes("image") ? "sees images" : "no images",
  ];
  return {
    kind: "model",
    model,
    label: model.name,
    description: modelName(model) + (isCurrent ? " · current" : ""),
    detail: facts.filter((fact) => fact !== undefined).join(" · "),
    isCurrent,
  };
}

function keyRows(models: readonly Model[]): ModelRow[] {
  const missing = KEY_PROVIDERS.filter(({ id }) => !models.some(({ provider }) => provider === id));
  if (missing.length === 0) return [];
  const rows = missing.map(
    ({ id, name, hasModels }): ModelRow => ({
      kind: "setKey",
      provider: id,
      label: name,
      description: hasModels ? "Set key…" : "Set key… Its models are named in models.json",
    }),
  );
  return [{ kind: "heading", label: "Without models so far" }, ...rows];
}

/** `200k` or `1M`; a number that is not round keeps a digit. */
function tokens(count: number): string {
  const [scaled, unit] = count < 1_000_000 ? [count / 1_000, "k"] : [count / 1_000_000, "M"];
  return `${scaled.toFixed(1).replace(/\.0$/, "")}${unit}`;
}

/** Nothing for a model without a price: nobody knows whether it is free. */
function price({ cost }: Model): string | undefined {
  if (cost.input === 0 && cost.output === 0) return undefined;
  return `$${dollars(cost.input)} in, $${dollars(cost.output)} out per million`;
}

function dollars(amount: number): string {
  return amount.toFixed(3).replace(/\.?0+$/, "");
}
