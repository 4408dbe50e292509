import { describe, expect, it } from "vitest";
import { applyBlock } from "../../../../extension/features/code-blocks/apply-block.ts";
import { terminalText } from "../../../../extension/features/code-blocks/terminal-text.ts";

const FILE = "import a;\n\nfunction one() {\n  return 1;\n}\n\nfunction two() {\n  return two;\n} // two\n";

describe("applying a block of code", () => {
  it("replaces the lines between its first and its last", () => {
    expect(applyBlock(FILE, "function two() {\n  const x = 2;\n  return x;\n} // two\n")).toEqual({
      text: "import a;\n\nfunction one() {\n  return 1;\n}\n\nfunction two() {\n  const x = 2;\n  return x;\n} // two\n",
    });
  });

  it("replaces the selection, or a file if it contains most of it", () => {
    expect(applyBlock("one two three", "2\n", { start: 4, end: 7 })).toEqual({ text: "one 2 three" });
    expect(applyBlock("alpha\nbeta\ngamma\n", "alpha\nbeta\ndelta")).toEqual({ text: "alpha\nbeta\ndelta\n" });
    expect(applyBlock("", "first")).toEqual({ text: "first\n" });
  });

  it("applies a patch as a patch, with the file's line endings", () => {
    const patch = "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n alpha\n-beta\n+BETA\n gamma\n";
    expect(applyBlock("alpha\r\nbeta\r\ngamma\r\n", patch)).toEqual({ text: "alpha\r\nBETA\r\ngamma\r\n" });
    expect(applyBlock("something else\n", patch)).toEqual({
      unclear: "The patch doesn't match the file.",
    });
  });

  it("does nothing when the place would be a guess", () => {
    expect(applyBlock(FILE, "function three() {\n}")).toEqual({
      unclear: "The first line of the code isn't in the file.",
    });
    expect(applyBlock("a1;\nb1;\na1;\nc1;\nd1;\ne1;\nf1;\n", "a1;\nx1;\nc1;")).toEqual({
      unclear: "The first line of the code appears more than once in the file.",
    });
    expect(applyBlock(FILE, "function one() {\n  // ... as before\n}")).toEqual({
      unclear: "The code leaves out some lines.",
    });
  });
});

describe("typing a block of commands into a terminal", () => {
  it("runs one line, and waits for Enter with several", () => {
    expect(terminalText("npm test\n")).toEqual({ text: "npm test", isRun: true });
    expect(terminalText("cd a\nnpm test")).toEqual({ text: "cd a\nnpm test", isRun: false });
  });

  it("removes prompts with their output, and all control codes", () => {
    expect(terminalText("$ ls\na.txt\n$ pwd")).toEqual({ text: "ls\npwd", isRun: false });
    expect(terminalText("echo \u001b[201~hi\u0003\u0007")).toEqual({ text: "echo [201~hi", isRun: true });
    expect(terminalText("echo a\rrm b")).toEqual({ text: "echo a\nrm b", isRun: false });
  });
});
