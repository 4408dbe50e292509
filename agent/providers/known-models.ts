import { type Cost, type Model, ThinkingLevel } from "../protocol/model.ts";
import { UNNAMED_RESOURCE } from "./azure-place.ts";
import { BEDROCK_URL } from "./bedrock-place.ts";
import { CATALOGUE } from "./catalogue.ts";
import table from "./known-models.json" with { type: "json" };

type Server = Pick<Model, "api" | "baseUrl" | "compat">;

const VERTEX_URL = "https://aiplatform.googleapis.com";
const CHAT = "openai-completions";

/** Matches the ID of an Anthropic model in the ID of a service that offers it. */
const CLAUDE = /\banthropic\.(claude-[a-z]+-\d(?:-\d)?)(?=$|-v\d|-\d{8})/;

/** The providers with models in the table, in the order in which their models count as the default. */
const SERVERS: Readonly<Record<string, Server>> = {
  openai: { api: "openai-responses", baseUrl: "https://api.openai.com/v1" },
  google: { api: "google-generative-ai", baseUrl: "https://generativelanguage.googleapis.com/v1beta" },
  xai: { api: CHAT, baseUrl: "https://api.x.ai/v1" },
  mistral: { api: CHAT, baseUrl: "https://api.mistral.ai/v1" },
  deepseek: { api: CHAT, baseUrl: "https://api.deepseek.com" },
  openrouter: { api: CHAT, baseUrl: "https://openrouter.ai/api/v1" },
  fireworks: { api: CHAT, baseUrl: "https://api.fireworks.ai/inference/v1" },
  together: { api: CHAT, baseUrl: "https://api.together.ai/v1", compat: { thinkingFormat: "together" } },
  cerebras: { api: CHAT, baseUrl: "https://api.cerebras.ai/v1" },
  groq: { api: CHAT, baseUrl: "https://api.groq.com/openai/v1" },
  "google-vertex": { api: "google-vertex", baseUrl: VERTEX_URL },
  "amazon-bedrock": { api: "bedrock-converse-stream", baseUrl: BEDROCK_URL },
  azure: { api: "azure-openai-responses", baseUrl: UNNAMED_RESOURCE },
};

/** The rows of each provider, its best model first; `npm run catalogue` writes them. */
const ROWS: Readonly<Record<string, readonly string[]>> = table.models;

/** Returns the known models of providers other than Anthropic, the best one of each provider first. Loaded only when one of them may be needed. */
export function knownModels(): Model[] {
  const listed = Object.entries(SERVERS).flatMap(([provider, server]) =>
    (ROWS[provider] ?? []).map((row) => readRow(row, provider, server)),
  );
  return [...listed, ...claudeOnVertex()];
}

const DATE = /-(\d{8})$/;

/** Returns Claude's models by their IDs on Vertex AI, where a date comes last. */
function claudeOnVertex(): Model[] {
  const dated = CATALOGUE.filter(({ id }) => DATE.test(id)).map(({ id }) => id);
  const others = new Map(dated.map((id) => [id.replace(DATE, ""), id.replace(DATE, "@$1")]));
  return CATALOGUE.filter(({ id }) => !DATE.test(id)).map((model) => ({
    ...model,
    id: others.get(model.id) ?? model.id,
    api: "anthropic-vertex",
    provider: "anthropic-vertex",
    baseUrl: VERTEX_URL,
  }));
}

/**
 * Reads a row: id, name, flags, window, longest output, prices, thinking levels, and prices of long prompts, with tabs between. Flags: `r` thinks, `i`
 * sees images, `e` takes no effort, `c` wants its thinking back, even if empty.
 */
function readRow(row: string, provider: string, { api, baseUrl, compat }: Server): Model {
  const [id = "", name = "", flags = "", window = "", output = "", prices = "", levels = "", tier = ""] =
    row.split("\t");
  const claude = claudeThinking(id);
  const traits = { ...claude.compat, ...compat, ...readTraits(flags), ...readTier(tier) };
  const map = readLevels(levels);
  return {
    id,
    name,
    api,
    provider,
    baseUrl,
    reasoning: flags.includes("r"),
    input: flags.includes("i") ? ["text", "image"] : ["text"],
    contextWindow: Number(window),
    maxTokens: Number(output),
    cost: readPrices(prices),
    ...(map === undefined ? {} : { thinkingLevelMap: map }),
    ...claude,
    ...(Object.keys(traits).length === 0 ? {} : { compat: traits }),
  };
}

/** Returns the thinking settings of an Anthropic model, for which the source has too little information. */
function claudeThinking(id: string): Pick<Model, "thinking" | "thinkingLevelMap" | "compat"> {
  const name = CLAUDE.exec(id)?.[1];
  const known = CATALOGUE.find((model) => model.id === name);
  if (known === undefined) return {};
  const { thinking, thinkingLevelMap, compat } = known;
  return { thinking, thinkingLevelMap, ...(compat === undefined ? {} : { compat }) };
}

function readTraits(flags: string): Record<string, boolean> {
  return {
    ...(flags.includes("e") ? { supportsReasoningEffort: false } : {}),
    ...(flags.includes("c") ? { requiresReasoningContentOnAssistantMessages: true } : {}),
  };
}

function readPrices(text: string): Cost {
  const [input = 0, output = 0, cacheRead = 0, cacheWrite = 0] = text.split(" ").map(Number);
  return { input, output, cacheRead, cacheWrite };
}

/** Reads prices that have in front of them the length of prompts above which they count. */
function readTier(text: string): Model["compat"] {
  if (text === "") return {};
  const at = text.indexOf(" ");
  return { longPrompt: { aboveTokens: Number(text.slice(0, at)), cost: readPrices(text.slice(at + 1)) } };
}

/**
 * Reads the supported levels: names, each with the model's own word or number of tokens if it differs. `max` is a separate level only above `xhigh`.
 */
function readLevels(text: string): Model["thinkingLevelMap"] {
  if (text === "") return undefined;
  const own = new Map(
    text.split(" ").map((level) => {
      const [name = "", word = name] = level.split("=");
      return [name, word];
    }),
  );
  const max = own.has("xhigh") ? own.get("max") : undefined;
  const words = new Map([...own, ["xhigh", own.get("xhigh") ?? own.get("max")], ["max", max]]);
  const wordOf = (level: ThinkingLevel) => words.get(level) ?? null;
  // A model that can stop thinking, but has no word for that, is not told any effort.
  const isSilent = (level: ThinkingLevel) => level === "off" && wordOf(level) === "off";
  const levels = ThinkingLevel.options.filter((level) => !isSilent(level));
  return Object.fromEntries(levels.map((level) => [level, amountOf(wordOf(level))]));
}

function amountOf(word: string | null): string | number | null {
  return word !== null && /^\d+$/.test(word) ? Number(word) : word;
}
