import { describe, expect, it } from "vitest";
import { isForUser } from "../../../../../extension/host/host-tools/language/user-commands.ts";

describe("a command behind a code action", () => {
  it.each([
    [{ command: "editor.action.rename", arguments: [["file:///a.ts", {}]] }, true],
    [{ command: "_typescript.moveToFileRefactoring" }, true],
    [
      {
        command: "_typescript.compositeCommand",
        arguments: [
          { command: "_typescript.didApplyRefactoring", arguments: [{}] },
          { command: "editor.action.rename", arguments: [] },
        ],
      },
      true,
    ],
    [{ command: "_typescript.didApplyRefactoring", arguments: [{ command: 1 }, null, "editor.action.rename"] }, false],
    [{ command: "eslint.applySingleFix", arguments: [{ ruleId: "semi" }] }, false],
  ])("%j is for the user: %s", (command, isAsking) => {
    expect(isForUser(command)).toBe(isAsking);
  });
});
