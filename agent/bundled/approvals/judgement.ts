import type { ApprovalRule, ApprovalScope } from "../../protocol/approvals.ts";
import type { Danger } from "../../protocol/dialogs.ts";

/** A rule that the user can save. */
export interface Proposal {
  tool: string;
  pattern?: string;
  text: string;
  /** A sentence that says which calls the rule covers. */
  covers: string;
  /** True when the pattern cannot be changed. */
  isFixed?: boolean;
}

/** The judgment of a call before the user is asked. */
export interface CallJudgement {
  /** The reasons for a second look, a line each. */
  reasons: readonly string[];
  /** The commands in the call that change something, for people. */
  commands?: readonly string[];
  /** Dangers of the call, beside those that the reasons say. */
  dangers?: readonly Danger[];
  /** True when `auto-edit` lets it run. */
  isFree: boolean;
  /** True if a rule of the user forbids the call in every mode; the reason says which. */
  isForbidden?: boolean;
  /** The scopes of rules that may allow it; empty when no rule may. */
  scopes: readonly ApprovalScope[];
  /** The rule that allows this call and similar ones. */
  proposal: Proposal | undefined;
  /** @returns the rules that together allow the call; undefined if they don't. */
  allowedBy(rules: readonly ApprovalRule[]): readonly ApprovalRule[] | undefined;
  /** Creates a rule from another pattern. @returns the problem as text if the pattern is invalid. */
  propose(pattern: string): Proposal | string;
}

/** Every scope, from the shortest. */
export const ALL_SCOPES: readonly ApprovalScope[] = ["session", "workspace", "always"];

/** A call that no rule may allow. */
export function neverAllowed(reasons: readonly string[]): CallJudgement {
  return {
    reasons,
    isFree: false,
    scopes: [],
    proposal: undefined,
    allowedBy: () => undefined,
    propose: () => "No rule can allow this call.",
  };
}

/** A call that is denied without a question. */
export function forbidden(why: string): CallJudgement {
  return { ...neverAllowed([why]), isForbidden: true };
}
