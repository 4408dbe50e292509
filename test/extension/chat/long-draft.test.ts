import { readFileSync, statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { moveToFile } from "../../../extension/chat/long-draft.ts";
import { temporaryFolder } from "../../support/run-tool.ts";

describe("a message that is attached as a file", () => {
  it("keeps its beginning and names a private file with all of it", async () => {
    const text = `Explain this log:\n${"line\n".repeat(100_000)}`;
    const folder = await temporaryFolder();
    const message = await moveToFile({ text }, folder);
    expect(message).toMatch(/^Explain this log:\nline\n/);
    expect(message.length).toBeLessThan(700);
    const [, path = ""] = /…\n\nThe whole message is in the file (.+)\.$/.exec(message) ?? [];
    expect(path.startsWith(folder)).toBe(true);
    expect(readFileSync(path, "utf8")).toBe(text);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("holds pasted text in place of its mark", async () => {
    const mark = "[Pasted text 1: 3 lines]";
    const draft = {
      text: `Explain ${mark}, please`,
      attachments: [{ kind: "text" as const, id: "text-1", mark, text: "a\nb\nc" }],
    };
    const message = await moveToFile(draft, await temporaryFolder());
    const [, path = ""] = /The whole message is in the file (.+)\.$/.exec(message) ?? [];
    expect(readFileSync(path, "utf8")).toBe("Explain a\nb\nc, please");
    expect(message).not.toContain(mark);
  });
});
