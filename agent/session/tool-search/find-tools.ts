import { type AnyTool, type ToolOutput, textOutput } from "../../tools/tool.ts";
import { plainName } from "../../tools/tool-names.ts";
import { oneLine } from "../../util/one-line.ts";
import { type RankedTool, rankTools } from "./rank-tools.ts";

const MAX_LOADED_PER_QUERY = 5;
const MAX_LOADED = 20;
const MAX_NEAR = 8;
/** A tool is loaded if its score is at least this share of the best one. */
const LOADED_SHARE = 0.45;
const MAX_DESCRIPTION_CHARACTERS = 120;

interface SearchedTools {
  /** The tools that can be found. */
  tools: readonly AnyTool[];
  /** True for a tool that was declared to the model. */
  isLoaded(name: string): boolean;
  /** The sources of tools, listed when a search finds nothing. */
  summary: string;
}

/** Finds the tools for queries. The result names the tools that it loads, also in `details.loaded`. */
export function findTools(queries: readonly string[], { tools, isLoaded, summary }: SearchedTools): ToolOutput {
  const found = new Set<AnyTool>();
  const near = new Set<AnyTool>();
  const vain: string[] = [];
  for (const query of queries) {
    const named = namedTools(query, tools);
    const ranked = named.length > 0 ? [] : rankTools(query, tools);
    const best = named.length > 0 ? named : bestOf(ranked);
    if (best.length === 0) vain.push(query);
    for (const tool of best) if (found.size < MAX_LOADED) found.add(tool);
    for (const { tool } of ranked.slice(0, MAX_LOADED_PER_QUERY + MAX_NEAR)) near.add(tool);
  }
  const others = [...near].filter((tool) => !found.has(tool)).slice(0, MAX_NEAR);
  const text = [
    ...listed(
      "Loaded; you can call these from your next step on:",
      [...found].filter(({ name }) => !isLoaded(name)),
    ),
    ...listed(
      "Loaded before:",
      [...found].filter(({ name }) => isLoaded(name)),
    ),
    ...(others.length === 0
      ? []
      : [`Similar, not loaded: ${others.map(({ name }) => name).join(", ")}. To load one, search for its exact name.`]),
    ...vain.map((query) => `No tool fits "${oneLine(query)}". Try other words for it. ${summary}`),
  ];
  return textOutput(text.join("\n\n"), { loaded: [...found].map(({ name }) => name) });
}

function listed(heading: string, tools: readonly AnyTool[]): string[] {
  return tools.length === 0 ? [] : [[heading, ...tools.map(line)].join("\n")];
}

function line({ name, description }: AnyTool): string {
  const plain = oneLine(description);
  const short = plain.length > MAX_DESCRIPTION_CHARACTERS ? `${plain.slice(0, MAX_DESCRIPTION_CHARACTERS)}…` : plain;
  return short === "" ? `- ${name}` : `- ${name}: ${short}`;
}

/** The tools that a query names in full, with or without the part for their server; several names are separated by commas or spaces. */
function namedTools(query: string, tools: readonly AnyTool[]): AnyTool[] {
  const names = query
    .replace(/^select:/, "")
    .split(/[\s,]+/)
    .filter((name) => name !== "")
    .map(plainName);
  return names.flatMap((name) => {
    const whole = tools.filter((tool) => plainName(tool.name) === name);
    if (whole.length > 0 || names.length > 1) return whole;
    return tools.filter((tool) => tool.name.includes("__") && plainName(ownName(tool.name)) === name);
  });
}

/** Returns the name of a server's tool without the server: `create_issue` for `mcp__github__create_issue`. */
function ownName(name: string): string {
  return name.slice(name.lastIndexOf("__"));
}

function bestOf(ranked: readonly RankedTool[]): AnyTool[] {
  const [best] = ranked;
  if (best === undefined) return [];
  const least = best.score * LOADED_SHARE;
  return ranked
    .slice(0, MAX_LOADED_PER_QUERY)
    .filter(({ score }) => score >= least)
    .map(({ tool }) => tool);
}
