import { expect, test } from "vitest";
import { nativePrompt } from "../../../../extension/doors/participant/native-prompt.ts";

test("a request without command is the user's text with its attachments", () => {
  const references = [
    { path: "/w/my file.ts", lines: { startLine: 3, endLine: 9 } },
    { path: "/w/b.ts" },
    { path: "/w/b.ts" },
    { name: "terminal", text: "exit code 1" },
  ];
  expect(nativePrompt({ text: " why? ", references })).toBe(
    'why?\n\nMeant are: @"/w/my file.ts":3-9 @/w/b.ts\n\nterminal:\nexit code 1',
  );
});

test("a command adds its instruction, with and without words of the user", () => {
  expect(nativePrompt({ text: "", command: "fix", references: [] })).toBe(
    "Find out which problems the editor reports for this workspace, and fix them.",
  );
  expect(nativePrompt({ text: "the parser", command: "explain", references: [] })).toBe(
    "Explain the following. Change nothing.\n\nthe parser",
  );
  expect(nativePrompt({ text: "", command: "review", references: [{ path: "/w/a.ts" }] })).toBe(
    "Review the following. Look for mistakes, missing tests and unclear names, the gravest first. Change nothing.\n\nMeant are: @/w/a.ts",
  );
});

test("an empty request is nothing, and an unknown command adds nothing", () => {
  expect(nativePrompt({ text: "  ", references: [] })).toBe("");
  expect(nativePrompt({ text: "hello", command: "constructor", references: [] })).toBe("hello");
});
