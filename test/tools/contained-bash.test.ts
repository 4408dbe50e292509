import { describe, expect, it } from "vitest";
import { bashToolOver } from "../../agent/tools/bash.ts";
import type { ContainedCommand } from "../../agent/tools/contained.ts";
import { runTool, toolContext } from "../support/run-tool.ts";

describe("a command in the sandbox whose shell can't be started", () => {
  it("leaves the sandbox, so that it doesn't count as busy", async () => {
    let ends = 0;
    const contained: ContainedCommand = {
      folder: "/tmp",
      enter: () => ({ file: "/bin/true", args: [], env: {} }),
      refusalIn: async () => undefined,
      end: async () => {
        ends += 1;
        return [];
      },
      takeOpened: () => [],
    };
    const bash = bashToolOver(async () => {
      throw new Error("Could not start the shell");
    });
    const context = { ...toolContext("/tmp"), contain: async () => contained };
    await expect(runTool(bash, { command: "true" }, context)).rejects.toThrow("Could not start the shell");
    expect(ends).toBe(1);
  });
});
