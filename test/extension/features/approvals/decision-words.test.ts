import { describe, expect, it } from "vitest";
import type { LoggedDecision } from "../../../../agent/protocol/approvals.ts";
import { decisionWords } from "../../../../extension/features/approvals/decision-words.ts";

const words = (fields: Partial<LoggedDecision>) =>
  decisionWords({
    time: "2026-11-21T03:00:00.000Z",
    session: "s-1",
    workspace: "/work",
    tool: "bash",
    what: "npm run build",
    decision: "allowed",
    by: "user",
    mode: "confirm",
    ...fields,
  });

describe("decisionWords", () => {
  it("says who decided", () => {
    expect(words({})).toBe("Allowed by you");
    expect(words({ rules: ["bash npm run *"] })).toBe("Allowed by you, with the rule bash npm run *");
    expect(words({ decision: "denied" })).toBe("Denied by you");
    expect(words({ by: "rule", rules: ["bash ls", "bash pwd"] })).toBe("Allowed by the rule bash ls, bash pwd");
    expect(words({ by: "mode", mode: "auto" })).toBe("Allowed in the mode Full Access");
    expect(words({ by: "mode", mode: "readonly", decision: "denied" })).toBe("Denied in the mode Read-Only");
    expect(words({ by: "mode", mode: "sandboxed", isContained: true })).toBe("Ran in the sandbox");
    expect(words({ by: "hook" })).toBe("Allowed by a hook");
    expect(words({ by: "setting", decision: "denied" })).toBe("Denied by the setting denyRead");
    expect(words({ by: "nobody", decision: "denied" })).toBe("Denied without an answer");
  });
});
