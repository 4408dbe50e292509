import { describe, expect, it } from "vitest";
import { approvalAnswers, approvalContent } from "../../agent/acp/asks/permission.ts";

const sandbox = { option: "Run commands in a sandbox", text: "Commands can run in a sandbox here." };
const approval = {
  toolCallId: "t1",
  tool: "bash",
  subject: "npm test",
  reasons: [],
  once: "Allow once",
  deny: "Deny",
  rules: [],
};

describe("an approval that offers the sandbox", () => {
  it("has that answer before the refusal, and says what it means", () => {
    const answers = approvalAnswers({ ...approval, sandbox });
    expect(answers.map(({ option, value }) => [option.optionId, option.kind, value])).toEqual([
      ["once", "allow_once", "Allow once"],
      ["sandbox", "allow_once", "Run commands in a sandbox"],
      ["deny", "reject_once", "Deny"],
    ]);
    expect(JSON.stringify(approvalContent({ ...approval, sandbox }, undefined))).toContain(sandbox.text);
    expect(approvalContent(approval, undefined)).toEqual([]);
  });
});
