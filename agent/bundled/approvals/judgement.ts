import type { ApprovalRule, ApprovalScope } from "../../protocol/approvals.ts";

/** A rule that the user can save. */
export interface Proposal {
  tool: string;
  pattern?: string;
  text: string;
  /** True when the pattern cannot be changed. */
  isFixed?: boolean;
}

/** The judgment of a call before the user is asked. */
export interface CallJudgement {
  /** Why a person should look twice, a line each. */
  reasons: readonly string[];
  /** The commands in it that change something, for people. */
  commands?: readonly string[];
  /** True when `auto-edit` lets it run. */
  isFree: boolean;
  /** Set where a rule of the user forbids the call in every mode; the reason says which. */
  isForbidden?: boolean;
  /** For how long a rule may allow it; empty when no rule may. */
  scopes: readonly ApprovalScope[];
  /** The rule that allows this call and those like it. */
  proposal: Proposal | undefined;
  /** @returns the rules that together allow the call; undefined when they do not. */
  allowedBy(rules: readonly ApprovalRule[]): readonly ApprovalRule[] | undefined;
  /** Makes a rule of another pattern. @returns text that says what is wrong with it. */
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
