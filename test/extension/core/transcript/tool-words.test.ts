import { expect, it } from "vitest";
import { outcomeOf } from "../../../../extension/core/transcript/tool-outcome.ts";
import { presentCall } from "../../../../extension/core/transcript/tool-presenters.ts";
import { partOf, phraseOf } from "../../../../extension/core/transcript/tool-verbs.ts";
import type { ToolState } from "../../../../webview/protocol/items.ts";
import { wordCall } from "../../../../webview/protocol/tool-words.ts";

function words(toolName: string, args: unknown, state: ToolState): string {
  const { intent } = presentCall(toolName, args, "/w");
  return wordCall({ toolName, phrase: phraseOf(toolName, state), intent });
}

it.each([
  ["read", { path: "/w/a.ts", offset: 1, limit: 80 }, "running", "Reading a.ts (lines 1–80)…"],
  ["read", { path: "/w/a.ts", offset: 5 }, "done", "Read a.ts (from line 5)"],
  ["bash", { command: "npm test" }, "preparing", "Running npm test…"],
  ["bash", { command: "npm test" }, "failed", "Ran npm test"],
  ["vscode_find_references", { symbol: "average", path: "a.ts" }, "running", "Finding references to average…"],
  ["vscode_git_commit", { message: "x" }, "done", "Committed"],
  ["todo_write", {}, "preparing", "Updating the plan…"],
  [
    "mcp__tracker__create_issue",
    { title: "Slow", urgent: true },
    "done",
    "Create issue (tracker) title: Slow, urgent: true",
  ],
  ["deploySite", {}, "done", "Deploy site"],
] as const)("the call of %s with %j that is %s reads %s", (toolName, args, state, text) => {
  expect(words(toolName, args, state)).toBe(text);
});

it("a result says how many references and how many finished tasks there are", () => {
  const content = [{ type: "text", text: "references" } as const];
  expect(
    outcomeOf("vscode_find_references", {
      content: [{ type: "text", text: '14 references of "average" in 3 files:\n' }],
    }),
  ).toEqual({ phrase: "Found 14 references to {0}" });
  const tasks = [
    { id: "1", content: "one", status: "completed" },
    { id: "2", content: "two", status: "pending" },
  ];
  expect(outcomeOf("todo_write", { content, details: { phases: [{ id: "p", name: "P", tasks }] } })).toEqual({
    intent: "1 of 2 done",
  });
});

it.each([
  ["git diff src", "command"],
  ["cat a.ts", "command"],
  ["cat a.ts > b.ts", undefined],
  ["ls; rm -rf x", undefined],
  ["npm test", undefined],
])("the command %s only looks: %s", (command, part) => {
  expect(partOf("bash", command)).toBe(part);
});
