import { expect, test } from "vitest";
import { splitPrompt } from "../../../../extension/core/mentions/prompt-blocks.ts";
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

test("a command calls the prompt template of its name, with and without words of the user", () => {
  expect(nativePrompt({ text: "", command: "fix", references: [] })).toBe(
    "/fix The problems that the editor reports for this workspace.",
  );
  expect(nativePrompt({ text: "", command: "review", references: [] })).toBe("/review");
  expect(nativePrompt({ text: "the parser", command: "explain", references: [] })).toBe("/explain the parser");
  expect(nativePrompt({ text: "", command: "review", references: [{ path: "/w/a.ts" }, { path: "/w/b.ts" }] })).toBe(
    "/review @/w/a.ts @/w/b.ts",
  );
});

test("a text that is attached to a command stays as it is", () => {
  const references = [{ name: "terminal", text: "exit  code 1\n" }];
  const { blocks, text } = splitPrompt(nativePrompt({ text: "", command: "explain", references }));
  expect(text).toBe("/explain What is attached.");
  expect(blocks).toMatchObject([{ meta: { path: "terminal" }, content: "exit  code 1\n" }]);
});

test("an empty request is nothing, and an unknown command adds nothing", () => {
  expect(nativePrompt({ text: "  ", references: [] })).toBe("");
  expect(nativePrompt({ text: "hello", command: "constructor", references: [] })).toBe("hello");
});
