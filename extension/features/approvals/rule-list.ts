import type { ApprovalRule, ApprovalScope } from "../../../agent/protocol/approvals.ts";
import { t } from "../../../webview/l10n.ts";

/** The rules of one scope, as a list for people. */
export interface RuleGroup {
  readonly scope: ApprovalScope;
  readonly title: string;
  readonly rules: readonly { readonly id: string; readonly text: string; readonly use: string }[];
}

function scopes(): readonly { readonly scope: ApprovalScope; readonly title: string }[] {
  return [
    { scope: "session", title: t("this session") },
    { scope: "workspace", title: t("this workspace") },
    { scope: "always", title: t("always") },
  ];
}

/** Groups rules by scope, the most recently used first. Scopes without rules are left out. @param now Unix ms. */
export function groupRules(rules: readonly ApprovalRule[], now: number): RuleGroup[] {
  return scopes().flatMap(({ scope, title }) => {
    const own = rules.filter((rule) => rule.scope === scope);
    own.sort((a, b) => (b.lastUsedAt ?? b.createdAt) - (a.lastUsedAt ?? a.createdAt));
    if (own.length === 0) return [];
    return [{ scope, title, rules: own.map((rule) => ({ id: rule.id, text: rule.text, use: useOf(rule, now) })) }];
  });
}

function useOf({ uses, lastUsedAt, createdAt }: ApprovalRule, now: number): string {
  if (uses === 0 || lastUsedAt === undefined) return t("never used, added {0}", ago(now - createdAt));
  const when = ago(now - lastUsedAt);
  return uses === 1 ? t("used once, {0}", when) : t("used {0} times, last {1}", uses, when);
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** Returns how long ago something was, in words. */
export function ago(elapsedMs: number): string {
  const days = Math.floor(elapsedMs / DAY_MS);
  if (days >= 1) return days === 1 ? t("1 day ago") : t("{0} days ago", days);
  const hours = Math.floor(elapsedMs / HOUR_MS);
  if (hours >= 1) return hours === 1 ? t("1 hour ago") : t("{0} hours ago", hours);
  const minutes = Math.floor(elapsedMs / MINUTE_MS);
  if (minutes < 1) return t("just now");
  return minutes === 1 ? t("1 minute ago") : t("{0} minutes ago", minutes);
}
