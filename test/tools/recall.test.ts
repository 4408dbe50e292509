import { describe, expect, it } from "vitest";
import { memoryOf } from "../../agent/session/memory.ts";
import { recallTool } from "../../agent/tools/recall.ts";
import { answer, call, compaction, type PathSample, pathOf, result, said } from "../session/path-samples.ts";
import { runTool, textOf, toolContext } from "../support/run-tool.ts";

/** The tool over a session with these messages. */
function recall(...messages: PathSample[]) {
  const path = pathOf(...messages);
  const tool = recallTool(memoryOf(() => ({ path: () => path, isCut: true })));
  return async (args: object) => textOf(await runTool(tool, args, toolContext("/")));
}

describe("recall", () => {
  it("finds what was said before a compaction, with the ids of the messages, the best and newest first", async () => {
    const find = recall(
      said("The port is 8080"),
      call("1", "read", { path: "port.ts" }),
      result("1", `${"x ".repeat(500)}the PORT is 9090 ${"y ".repeat(500)}`),
      answer("A port"),
      compaction("e3"),
    );
    const text = await find({ query: "port is" });
    expect(text).toMatch(/^Matches 1 to 2 of 2\. /);
    expect(text.indexOf("[e2] result of read, 2026-01-02 03:04\n…")).toBeLessThan(text.indexOf("[e0] user"));
    expect(text).toContain("the PORT is 9090");
    expect(text).not.toContain("[e3]");
    expect(await find({ query: "nowhere" })).toBe("Nothing matches. Try fewer or other words.");
  });

  it("shows ten matches at once, and the next ones from an offset", async () => {
    const find = recall(...Array.from({ length: 12 }, (_, index) => said(`match ${index}`)));
    expect(await find({ query: "match" })).toMatch(/^Matches 1 to 10 of 12, the next with offset 10\.[\s\S]*match 2$/);
    expect(await find({ query: "match", offset: 10 })).toMatch(
      /^Matches 11 to 12 of 12\.[\s\S]*match 1\n[\s\S]*match 0$/,
    );
  });

  it("reads a whole message in pages", async () => {
    const find = recall(said(`${"a".repeat(8000)}${"b".repeat(100)}`));
    const first = await find({ entry: "e0" });
    expect(first).toMatch(/aaa\n\n\[Characters 0 to 8000 of 8100\. Continue with offset 8000\.\]$/);
    expect(await find({ entry: "e0", offset: 8000 })).toBe(`[e0] user, 2026-01-02 03:04\n${"b".repeat(100)}`);
    await expect(find({ entry: "e9" })).rejects.toThrow('No message has the id "e9"');
    await expect(find({})).rejects.toThrow("Give query or entry");
  });

  it("finds neither what the model never saw nor earlier searches", async () => {
    const command = { role: "bashExecution" as const, command: "env", output: "secret", cancelled: false };
    const find = recall(
      { ...command, truncated: false, excludeFromContext: true, timestamp: 1 },
      answer("secret", 0, "error"),
      call("1", "recall", { query: "secret" }),
      { ...result("1", "secret"), toolName: "recall" },
    );
    expect(await find({ query: "secret" })).toBe("Nothing matches. Try fewer or other words.");
    await expect(find({ entry: "e0" })).rejects.toThrow("No message");
  });
});
