import { describe, expect, it } from "vitest";
import type { ApprovalRule } from "../../../../agent/protocol/approvals.ts";
import { groupRules } from "../../../../extension/features/approvals/rule-list.ts";

const NOW = 1_000_000_000_000;
const rule = (id: string, scope: ApprovalRule["scope"], fields: Partial<ApprovalRule>): ApprovalRule => ({
  id,
  scope,
  tool: "bash",
  text: `bash ${id}`,
  createdAt: NOW,
  uses: 0,
  ...fields,
});

describe("groupRules", () => {
  it("lists rules under their scope, the last used first, with number and time of uses", () => {
    const rules = [
      rule("old", "always", { uses: 12, lastUsedAt: NOW - 2 * 86_400_000 }),
      rule("unused", "session", { createdAt: NOW - 300_000 }),
      rule("hot", "always", { uses: 1, lastUsedAt: NOW - 3_600_000 }),
    ];
    expect(groupRules(rules, NOW)).toEqual([
      {
        scope: "session",
        title: "this session",
        rules: [{ id: "unused", text: "bash unused", use: "never used, added 5 minutes ago" }],
      },
      {
        scope: "always",
        title: "always",
        rules: [
          { id: "hot", text: "bash hot", use: "used once, 1 hour ago" },
          { id: "old", text: "bash old", use: "used 12 times, last 2 days ago" },
        ],
      },
    ]);
  });

  it("is empty without rules", () => {
    expect(groupRules([], NOW)).toEqual([]);
  });
});
