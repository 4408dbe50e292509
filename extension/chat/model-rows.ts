import type { Model, ThinkingLevel } from "../../agent/protocol/model.ts";
import { formatDollars, formatNumber, t } from "../../webview/l10n.ts";
import { EDITOR_PROVIDER } from "../core/connection/editor-provider.ts";
import { KEY_PROVIDERS, providerName } from "../core/keys/key-providers.ts";

/** The name of a model across providers, `provider/id`. */
export type ModelName = string;

/** The data for the list of models. */
export interface ModelChoices {
  readonly models: readonly Model[];
  /** The editor's name, which is the heading of its own models. */
  readonly editorName: string;
  readonly current: ModelName | undefined;
  readonly thinkingLevel: ThinkingLevel;
  /** The models chosen last, in any session, latest first. */
  readonly recent: readonly ModelName[];
  /** The models that have answered in this session, latest first. */
  readonly used: readonly ModelName[];
}

/** A line of the list. */
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
  | { readonly kind: "setKey"; readonly provider: string; readonly label: string; readonly description: string }
  | { readonly kind: "ownModels"; readonly label: string; readonly description: string };

export function modelName({ provider, id }: Pick<Model, "provider" | "id">): ModelName {
  return `${provider}/${id}`;
}

/** The list: the current model, recent ones, the session's, all others by provider, providers without a key, and the user's own models; each once. */
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
    [t("Current"), current],
    [t("Recent"), take(choices.recent)],
    [t("This Session"), take(choices.used)],
  ];
  for (const provider of new Set([...left.values()].map((model) => model.provider))) {
    const name = provider === EDITOR_PROVIDER ? choices.editorName : providerName(provider);
    groups.push([name, [...left.values()].filter((model) => model.provider === provider)]);
  }
  const rows = groups.flatMap(([label, models]): ModelRow[] =>
    models.length === 0 ? [] : [{ kind: "heading", label }, ...models.map((model) => modelRow(model, choices))],
  );
  const own = { kind: "ownModels", label: t("Custom Models…"), description: t("Edit models.json") } as const;
  return [...rows, ...keyRows(choices.models), { kind: "heading", label: "" }, own];
}

function modelRow(model: Model, { current, thinkingLevel }: ModelChoices): ModelRow {
  const isCurrent = modelName(model) === current;
  const canThink = isCurrent ? t("thinking: {0}", thinkingLevel) : t("supports thinking");
  // The editor does not report it for its own models.
  const cannotThink = model.provider === EDITOR_PROVIDER ? undefined : t("no thinking");
  const facts = [
    model.contextWindow === 0 ? undefined : t("{0} tokens", tokens(model.contextWindow)),
    price(model),
    model.reasoning ? canThink : cannotThink,
    model.input.includes("image") ? t("supports images") : t("no images"),
  ];
  return {
    kind: "model",
    model,
    label: model.name,
    description: isCurrent ? t("{0} · current", modelName(model)) : modelName(model),
    detail: facts.filter((fact) => fact !== undefined).join(" · "),
    isCurrent,
  };
}

function keyRows(models: readonly Model[]): ModelRow[] {
  const missing = KEY_PROVIDERS.filter(({ id }) => !models.some(({ provider }) => provider === id));
  if (missing.length === 0) return [];
  const rows = missing.map(
    ({ id, name }): ModelRow => ({
      kind: "setKey",
      provider: id,
      label: name,
      description: t("Set API Key…"),
    }),
  );
  return [{ kind: "heading", label: t("Not set up yet") }, ...rows];
}

/** Formats a number of tokens as `200k` or `1M`, with one decimal if it is not round. */
function tokens(count: number): string {
  const short = (value: number) => formatNumber(value, { maximumFractionDigits: 1, useGrouping: false });
  return count < 1_000_000 ? t("{0}k", short(count / 1_000)) : t("{0}M", short(count / 1_000_000));
}

/** Formats the price; undefined for a model without one, which may or may not be free. */
function price({ cost }: Model): string | undefined {
  if (cost.input === 0 && cost.output === 0) return undefined;
  return t("{0} in, {1} out per 1M tokens", dollars(cost.input), dollars(cost.output));
}

function dollars(amount: number): string {
  return formatDollars(amount, { minimumFractionDigits: 0, maximumFractionDigits: 3 });
}
