import { expect, test } from "vitest";
import { nativePrompt } from "../../../../extension/doors/participant/native-prompt.ts";

test("a request without command is what the user said, with what they attached", () => {
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

test("a command says what to do, with and without words of the user's", () => {
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

test("nothing to be said is nothing, and a command that is not ours adds nothing", () => {
  expect(nativePrompt({ text: "  ", references: [] })).toBe("");
  expect(nativePrompt({ text: "hello", command: "constructor", references: [] })).toBe("hello");
});
