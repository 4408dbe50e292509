import { CHARACTERS_PER_TOKEN } from "../../util/token-estimate.ts";
import { FACT_KINDS, type Fact, type FactKind } from "./facts.ts";

/** The share of the context window that facts may take. */
const WINDOW_SHARE = 0.05;
const MAX_TOKENS = 12_000;
/** The share of the window that the things ruled out by the user may take, beyond the share of all facts: a compaction has to make room. */
const RULED_OUT_SHARE = 0.25;
/** The part of the limit that each kind gets before the more important ones take what is left. */
const SHARES: readonly { kind: FactKind; share: number }[] = [
  { kind: "required", share: 0.2 },
  { kind: "task", share: 0.1 },
  { kind: "asked", share: 0.4 },
  { kind: "decided", share: 0.2 },
  { kind: "name", share: 0.1 },
];
const HEADINGS: Record<FactKind, string> = {
  ruledOut: "Ruled out by the user:",
  required: "Required by the user:",
  task: "Open tasks:",
  asked: "Asked by the user:",
  decided: "Decided:",
  name: "Names and paths:",
};
const TAG = "kept-facts";
const LEAD = "Quoted word for word, the oldest first. What the user ruled out or required still holds.";
const SEARCH = "Everything else that was said can be found with the tool recall.";
const BLOCK = new RegExp(`\\n*<${TAG}>\\n[\\s\\S]*$`);

/** The facts that fit, and how many of each kind they are. */
export interface KeptFacts {
  facts: Fact[];
  counts: Partial<Record<FactKind, number>>;
}

/**
 * Selects the facts that fit into a model's window. When there are too many, the oldest of the less important kinds are left out; what the user
 * ruled out stays.
 * @param facts the oldest first.
 */
export function fitFacts(facts: readonly Fact[], contextWindow: number): KeptFacts {
  const limit = Math.min(contextWindow * WINDOW_SHARE, MAX_TOKENS) * CHARACTERS_PER_TOKEN;
  const kept = new Set<Fact>();
  const take = (kind: FactKind, room: number): number => {
    let used = 0;
    for (const fact of byValue(facts.filter((each) => each.kind === kind))) {
      if (kept.has(fact) || used + lengthOf(fact) > room) continue;
      used += lengthOf(fact);
      kept.add(fact);
    }
    return used;
  };
  const ruledOut = take("ruledOut", contextWindow * RULED_OUT_SHARE * CHARACTERS_PER_TOKEN);
  const shared = Math.max(limit - ruledOut, limit / 2);
  let room = shared;
  for (const { kind, share } of SHARES) room -= take(kind, Math.min(room, shared * share));
  for (const { kind } of SHARES) room -= take(kind, room);
  const inOrder = facts.filter((fact) => kept.has(fact));
  return { facts: inOrder, counts: countKinds(inOrder) };
}

/** Returns a summary with the facts behind it. @param canRecall true if the model can search what it no longer sees. */
export function withFacts(summary: string, facts: readonly Fact[], canRecall = false): string {
  const sections = FACT_KINDS.flatMap((kind) => {
    const lines = facts.filter((fact) => fact.kind === kind).map(({ text }) => `- ${text.replaceAll("\n", "\n  ")}`);
    return lines.length === 0 ? [] : [[HEADINGS[kind], ...lines].join("\n")];
  });
  if (sections.length === 0) return summary;
  const lines = [LEAD, ...sections, ...(canRecall ? [SEARCH] : [])];
  return `${summary}\n\n<${TAG}>\n${lines.join("\n\n")}\n</${TAG}>`;
}

/** Returns a summary without the facts behind it: each compaction collects them anew. */
export function withoutFacts(summary: string): string {
  return summary.replace(BLOCK, "");
}

/** The newest facts come first, but before them the first request, which says what the session is for. */
function byValue(facts: readonly Fact[]): Fact[] {
  const newestFirst = facts.toReversed();
  const first = newestFirst.at(-1);
  return first?.kind === "asked" ? [first, ...newestFirst.slice(0, -1)] : newestFirst;
}

function lengthOf({ text }: Fact): number {
  return text.length + "- \n".length;
}

function countKinds(facts: readonly Fact[]): Partial<Record<FactKind, number>> {
  const counts: Partial<Record<FactKind, number>> = {};
  for (const { kind } of facts) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}
