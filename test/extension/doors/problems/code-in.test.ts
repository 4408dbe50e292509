import { expect, it } from "vitest";
import { codeIn } from "../../../../extension/doors/problems/code-in.ts";

it.each([
  ["a block", "```\na\n  b\n```", "a\n  b"],
  ["a block with a language and text around it", "Here:\n\n```ts\nconst a = 1;\n```\nDone.", "const a = 1;"],
  ["a block that holds a fence", "````md\n```\ninner\n```\n````", "```\ninner\n```"],
  ["tildes", "~~~\na\n~~~", "a"],
  ["line ends of Windows", "```\r\na\r\nb\r\n```\r\n", "a\r\nb"],
  ["an empty line at the end of the code", "```\na\n\n```", "a\n"],
  ["no code", "```\n```", ""],
])("the code in %s is found", (_, answer, code) => {
  expect(codeIn(answer)).toBe(code);
});

it.each([
  ["no block", "I would rather not."],
  ["two blocks", "```\na\n```\nor\n```\nb\n```"],
  ["a block without an end", "```\na\n"],
])("an answer with %s is refused with what it says", (_, answer) => {
  expect(() => codeIn(answer)).toThrow(/nothing was replaced/);
});
