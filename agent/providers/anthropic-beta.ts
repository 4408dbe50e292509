import type { Model } from "../protocol/model.ts";
import { thinkingBeta } from "./anthropic-thinking.ts";
import type { WireThinking } from "./anthropic-wire.ts";
import type { RequestHeaders, ToolSpec } from "./provider.ts";
import { declaresServerTool } from "./server-tools.ts";

const HEADER = "anthropic-beta";
const LONG_CONTEXT_BETA = "context-1m-2025-08-07";
const FETCH_BETA = "web-fetch-2025-09-10";
/** The usual window of the models that have a larger one only by the header. */
const USUAL_WINDOW = 200_000;
const HAS_LONG_CONTEXT_BETA = /claude-sonnet-4-(?:0|5|20\d{6})/;

/** Returns the features that a request has to ask for by the header `anthropic-beta`. */
export function betasOf(
  { id, contextWindow }: Pick<Model, "id" | "contextWindow">,
  thinking?: WireThinking,
  tools: readonly ToolSpec[] = [],
): string[] {
  const needsWindow = contextWindow > USUAL_WINDOW && HAS_LONG_CONTEXT_BETA.test(id);
  const ofThinking = thinkingBeta(thinking);
  return [
    ...(ofThinking === undefined ? [] : [ofThinking]),
    ...(needsWindow ? [LONG_CONTEXT_BETA] : []),
    ...(declaresServerTool({ tools }, "fetch") ? [FETCH_BETA] : []),
  ];
}

/** Returns the headers with features added to those that they ask for. Null in their place asks for none. */
export function withBetas(headers: RequestHeaders, betas: readonly string[]): RequestHeaders {
  const others = Object.entries(headers).filter(([name]) => name.toLowerCase() !== HEADER);
  const given = Object.entries(headers).find(([name]) => name.toLowerCase() === HEADER)?.[1];
  if (given === null) return headers;
  const named = given?.split(",").map((name) => name.trim()) ?? [];
  const all = [...new Set([...named, ...betas])].filter((name) => name !== "");
  return { ...Object.fromEntries(others), ...(all.length === 0 ? {} : { [HEADER]: all.join(",") }) };
}
