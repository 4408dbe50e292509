import type { ApprovalRule, ApprovalScope } from "../../protocol/approvals.ts";
import type { Danger } from "../../protocol/dialogs.ts";
import type { ToolOrigin } from "../../tools/tool.ts";
import { ALL_SCOPES, type CallJudgement, forbidden, neverAllowed, type Proposal } from "./judgement.ts";
import { meaningsOf, type NamedPath } from "./named-paths.ts";
import { judgeAddressRead, judgeRead, judgeUse, type PathNeed, type PathVerdict } from "./path-needs.ts";
import { FORBIDS_READING, type Places } from "./places.ts";
import { escapeGlob, matchesGlob, problemOfGlob } from "./rule-glob.ts";
import { fileRuleWords } from "./rule-words.ts";

/** The maximum number of globs in a rule that people can still read. */
const MAX_GLOBS = 4;

/** A call whose effect on each path is known. */
export interface PathCall {
  tool: string;
  origin: ToolOrigin;
  named: readonly NamedPath[];
  /** True when it changes files, or runs something with them. */
  isChanging: boolean;
  /** True if it only changes these files, so that `auto-edit` may allow it. */
  isEdit: boolean;
  /** True when a path is the address of a document that only the editor opens. */
  isAddress(path: string): Promise<boolean>;
}

/** Judges a call by the places of its paths: the worst one decides. */
export async function judgePathCall(call: PathCall, cwd: string, places: Places): Promise<CallJudgement> {
  const verdicts: PathVerdict[] = [];
  const dangers: Danger[] = [];
  for (const { path, access } of call.named) {
    if (await call.isAddress(path)) {
      verdicts.push(
        call.isChanging
          ? { never: `changes a document outside the workspace: ${path}` }
          : judgeAddressRead(path, places),
      );
      continue;
    }
    const meanings = await meaningsOf(path, { ...call, cwd, folders: places.roots });
    const denied = meanings.find((meaning) => !places.readable(meaning));
    if (denied !== undefined) return forbidden(`${FORBIDS_READING}: ${places.show(places.locate(denied))}`);
    const [likeliest] = meanings;
    if (access === "delete" && likeliest !== undefined)
      dangers.push({ kind: "deletes", object: places.show(places.locateEntry(likeliest)) });
    const judged = meanings.map((meaning) =>
      call.isChanging ? judgeUse(call.tool, meaning, access, places) : judgeRead(meaning, places),
    );
    // Every possible meaning of the path has to be harmless or allowed. If all are harmless, the rule is for the
    // likeliest one.
    const bad = judged.filter((one) => isNever(one) || needOf(one)?.isFree === false);
    verdicts.push(...(bad.length > 0 ? bad : judged.slice(0, 1)));
  }
  const reasons = [...new Set(verdicts.flatMap((verdict) => (isNever(verdict) ? [verdict.never] : [])))];
  if (reasons.length > 0) return { ...neverAllowed(withoutDoubles(reasons)), dangers };
  return { ...judgementOf(distinct(verdicts.flatMap((verdict) => needOf(verdict) ?? [])), call), dangers };
}

function isNever(verdict: PathVerdict): verdict is { never: string } {
  return verdict !== "free" && "never" in verdict;
}

function needOf(verdict: PathVerdict): PathNeed | undefined {
  return verdict !== "free" && "need" in verdict ? verdict.need : undefined;
}

/** Omits the report that a path is read if it is also reported as written. */
function withoutDoubles(reasons: readonly string[]): string[] {
  const written = new Set(reasons.filter((reason) => !reason.startsWith("reads")).map(placeIn));
  return reasons.filter((reason) => !reason.startsWith("reads") || !written.has(placeIn(reason)));
}

function placeIn(reason: string): string {
  return reason.slice(reason.indexOf(": "));
}

function distinct(needs: readonly PathNeed[]): PathNeed[] {
  // A file with two uses needs the permission of the stricter use.
  const byStrictness = needs.toSorted((one, other) => Number(one.isExact) - Number(other.isExact));
  return [...new Map(byStrictness.map((need) => [`${need.tool} ${need.subject}`, need])).values()];
}

function judgementOf(needs: readonly PathNeed[], { isChanging, isEdit }: PathCall): CallJudgement {
  const free = isChanging ? isEdit && needs.length > 0 && needs.every((need) => need.isFree) : needs.length === 0;
  const proposal = proposalFor(needs);
  return {
    reasons: [...new Set(needs.flatMap(({ reason }) => reason ?? []))],
    isFree: free,
    scopes: proposal === undefined ? [] : scopesOf(needs),
    proposal,
    allowedBy(rules) {
      const used = needs.map((need) => rules.find((rule) => isCovered(need, rule)));
      return used.length > 0 && used.every((rule) => rule !== undefined) ? [...new Set(used)] : undefined;
    },
    propose(pattern) {
      const wish = pattern.trim();
      const [first] = needs;
      const problem =
        problemOfGlob(wish) ?? needs.map((need) => problemFor(need, wish)).find((one) => one !== undefined);
      return problem === undefined && first !== undefined ? toProposal(first.tool, wish) : `${wish}: ${problem}`;
    },
  };
}

function scopesOf(needs: readonly PathNeed[]): readonly ApprovalScope[] {
  return ALL_SCOPES.filter((scope) => needs.every(({ scopes }) => scopes.includes(scope)));
}

/** Returns one rule for all paths of the call if people can read it. */
function proposalFor(needs: readonly PathNeed[]): Proposal | undefined {
  const [first] = needs;
  if (first === undefined) return undefined;
  const patterns = [...new Set(needs.map(({ pattern }) => pattern))];
  if (patterns.length > MAX_GLOBS || !patterns.every((pattern) => pattern !== undefined)) return undefined;
  if (patterns.length === 1) return toProposal(first.tool, patterns.join());
  return needs.some(({ isExact }) => isExact) || patterns.some((pattern) => pattern.includes(","))
    ? undefined
    : toProposal(first.tool, `{${patterns.join()}}`);
}

function isCovered(need: PathNeed, { tool, scope, pattern }: ApprovalRule): boolean {
  if (tool !== need.tool || pattern === undefined || !need.scopes.includes(scope)) return false;
  if (need.isExact) return pattern === escapeGlob(need.subject);
  return isBased(need, pattern) && matchesGlob(pattern, need.subject);
}

/** True when a glob begins with the folder of the paths. */
function isBased({ base }: PathNeed, pattern: string): boolean {
  return base === "" || pattern.replace(/^\{/, "").startsWith(escapeGlob(base));
}

function problemFor(need: PathNeed, pattern: string): string | undefined {
  const { base, subject, isExact } = need;
  if (isExact && pattern !== escapeGlob(subject)) return `a rule for ${subject} must name exactly this file`;
  const leadsElsewhere = base === "" && /^([/~\\]|[a-z]:)/i.test(pattern);
  if (leadsElsewhere || !isBased(need, pattern)) return `start it in the workspace, such as ${base}src/**`;
  return matchesGlob(pattern, subject) ? undefined : `doesn't match ${subject}`;
}

function toProposal(tool: string, pattern: string): Proposal {
  return { tool, pattern, text: `${tool} ${pattern}`, covers: fileRuleWords(tool, pattern) };
}
