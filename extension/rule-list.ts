import type { ApprovalRule, ApprovalScope } from "../agent/protocol/approvals.ts";

/** The rules of one scope, as a list for people. */
export interface RuleGroup {
  readonly scope: ApprovalScope;
  readonly title: string;
  readonly rules: readonly { readonly id: string; readonly text: string; readonly use: string }[];
}

const SCOPES: readonly { readonly scope: ApprovalScope; readonly title: string }[] = [
  { scope: "session", title: "this session" },
  { scope: "workspace", title: "this workspace" },
  { scope: "always", title: "always" },
];

/** Groups rules by scope, in each the one that was used last first. Scopes without rules are left out. @param now Unix ms. */
export function groupRules(rules: readonly ApprovalRule[], now: number): RuleGroup[] {
  return SCOPES.flatMap(({ scope, title }) => {
    const own = rules.filter((rule) => rule.scope === scope);
    own.sort((a, b) => (b.lastUsedAt ?? b.createdAt) - (a.lastUsedAt ?? a.createdAt));
    if (own.length === 0) return [];
    return [{ scope, title, rules: own.map((rule) => ({ id: rule.id, text: rule.text, use: useOf(rule, now) })) }];
  });
}

function useOf({ uses, lastUsedAt, createdAt }: ApprovalRule, now: number): string {
  if (uses === 0 || lastUsedAt === undefined) return `never used, made ${ago(now - createdAt)}`;
  const when = ago(now - lastUsedAt);
  return uses === 1 ? `used once, ${when}` : `used ${uses} times, last ${when}`;
}

const UNITS = [
  { unit: "day", ms: 86_400_000 },
  { unit: "hour", ms: 3_600_000 },
  { unit: "minute", ms: 60_000 },
] as const;

function ago(elapsedMs: number): string {
  for (const { unit, ms } of UNITS) {
    const count = Math.floor(elapsedMs / ms);
    if (count >= 1) return `${count} ${count === 1 ? unit : `${unit}s`} ago`;
  }
  return "just now";
}
