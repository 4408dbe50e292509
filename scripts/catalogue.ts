// `npm run catalogue [-- tarball]`: writes the known models of providers other than Anthropic, from a package of the registry, and reports how our
// own table of Anthropic's models differs from that package.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CATALOGUE } from "../agent/providers/catalogue.ts";
import { type Choice, chatModels, rowsOf, type SourceModel } from "./catalogue/rows.ts";

const SOURCE = "@earendil-works/pi-ai@1.5.2";
const TARGET = join(import.meta.dirname, "../agent/providers/known-models.json");

const CHOICES: Readonly<Record<string, Choice>> = {
  openai: { best: "gpt-6.1-sol", apis: ["openai-responses"] },
  google: {
    best: "gemini-4-argon",
    // They answer only through other APIs of Google's, or are not for code.
    without: /deep-research|computer-use|robotics|customtools/,
    mend: gemini,
  },
  xai: { best: "grok-4.7" },
  mistral: { best: "mistral-large-4", without: /voxtral/ },
  deepseek: { best: "deepseek-v4-pro" },
  // Answers in batches come hours later.
  openrouter: {
    best: "openai/gpt-6.1-sol",
    apis: ["anthropic-messages", "openai-completions"],
    without: /:batch$|^auto$/,
  },
  fireworks: { best: "accounts/fireworks/models/kimi-k3", apis: ["openai-completions"] },
  together: { best: "moonshotai/Kimi-K3" },
  cerebras: { best: "gpt-oss-120b" },
  groq: { best: "openai/gpt-oss-120b", without: /safeguard/ },
  "google-vertex": { best: "gemini-4-argon", without: /customtools/, mend: geminiOnVertex },
  // Users can add older generations, and models that aren't for code, in models.json.
  "amazon-bedrock": {
    best: "global.anthropic.claude-opus-5-5",
    without:
      /^us-gov\.|claude-(?:opus-4-1|sonnet-4-20)|nova-(?:lite|micro|pro|premier)|llama|palmyra|gemma|ministral|pixtral|voxtral|nemotron-nano|safeguard|oss-(?:20|120)b$|glm-4|minimax-m2(?:\.1)?$|qwen3-(?:32b|vl|next)|deepseek\.v3-/,
  },
  azure: {
    best: "gpt-6.1-sol",
    apis: ["azure-openai-responses"],
    without: /^gpt-(?:4|4-turbo)$|^gpt-4o-|daybreak|^o1|chat-latest|spark/,
  },
};

/**
 * Adds facts about Gemini 2.5 that the source lacks: the thinking tokens of each level (the Pro model can't stop thinking). Levels are in lowercase.
 */
function gemini(model: SourceModel): SourceModel {
  if (model.id.startsWith("gemini-2.5")) {
    const isPro = model.id.includes("pro");
    const least = model.id.includes("lite") ? "512" : "128";
    const map = {
      off: isPro ? null : "0",
      minimal: least,
      low: "2048",
      medium: "8192",
      high: isPro ? "32768" : "24576",
    };
    return { ...model, thinkingLevelMap: map };
  }
  const levels = Object.entries(model.thinkingLevelMap ?? {});
  return {
    ...model,
    thinkingLevelMap: Object.fromEntries(levels.map(([level, word]) => [level, word?.toLowerCase() ?? null])),
  };
}

/** Adds the prices of long prompts, which the source has only for Google's own API. */
function geminiOnVertex(model: SourceModel): SourceModel {
  const same = chatModels(read("google")).find(({ id }) => id === model.id);
  return gemini({ ...model, cost: { ...model.cost, tiers: model.cost.tiers ?? same?.cost.tiers } });
}

const work = mkdtempSync(join(tmpdir(), "tiller-catalogue-"));
try {
  unpack(process.argv[2]);
  const models = Object.fromEntries(
    Object.entries(CHOICES).map(([provider, choice]) => [provider, rowsOf(read(provider), choice)]),
  );
  writeFileSync(TARGET, `${JSON.stringify({ models }, null, 1)}\n`);
  for (const [provider, rows] of Object.entries(models)) console.log(`${provider}: ${rows.length} models`);
  for (const difference of differences(chatModels(read("anthropic")))) console.log(difference);
} finally {
  rmSync(work, { recursive: true });
}

/** Unpacks the source, from the registry if there is no tarball. */
function unpack(tarball: string | undefined): void {
  if (tarball === undefined)
    execFileSync("npm", ["pack", "--silent", SOURCE], { cwd: work, shell: process.platform === "win32" });
  const path = tarball ?? join(work, readdirSync(work)[0] ?? "");
  execFileSync("tar", ["-xzf", path, "-C", work]);
}

/** Returns the source's data about a provider. */
function read(provider: string): unknown {
  return JSON.parse(readFileSync(join(work, "package/dist/providers/data", `${provider}.json`), "utf8"));
}

/** Returns the differences between our table of Anthropic's models and the source. */
function differences(source: readonly SourceModel[]): string[] {
  const ids = new Set([...source, ...CATALOGUE].map(({ id }) => id));
  return [...ids].flatMap((id) => {
    const [ours, theirs] = [
      factsOf(CATALOGUE.find((model) => model.id === id)),
      factsOf(source.find((model) => model.id === id)),
    ];
    return ours === theirs ? [] : [`anthropic/${id}: ours ${ours}, the source's ${theirs}`];
  });
}

function factsOf(model: Pick<SourceModel, "contextWindow" | "maxTokens" | "cost"> | undefined): string {
  if (model === undefined) return "none";
  const { contextWindow, maxTokens, cost } = model;
  return JSON.stringify([contextWindow, maxTokens, cost.input, cost.output, cost.cacheRead, cost.cacheWrite]);
}
