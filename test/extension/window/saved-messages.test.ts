import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { savedMessages } from "../../../extension/window/saved-messages.ts";

const folder = mkdtempSync(join(tmpdir(), "tiller-saved-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const HEADER = JSON.stringify({ type: "session", version: 3, id: "s", timestamp: "2026-11-21T10:00:00Z", cwd: "/" });

function said(id: string, parentId: string | null, content: string): string {
  const message = { role: "user", content, timestamp: 1 };
  return JSON.stringify({ type: "message", id, parentId, timestamp: "2026-11-21T10:00:00Z", message });
}

async function textsOf(...lines: string[]): Promise<unknown[]> {
  const path = join(folder, "session.jsonl");
  writeFileSync(path, lines.join("\n"));
  return (await savedMessages(path)).map((message) => ("content" in message ? message.content : message.role));
}

describe("saved messages of a conversation", () => {
  test("are those of the branch that was extended last", async () => {
    const lines = [HEADER, said("a", null, "one"), said("b", "a", "two"), said("c", "a", "three"), ""];
    expect(await textsOf(...lines)).toEqual(["one", "three"]);
  });

  test("are read past torn or unknown lines", async () => {
    const unknown = JSON.stringify({ type: "odd", id: "x", parentId: "a", timestamp: "" });
    expect(
      await textsOf(HEADER, said("a", null, "one"), unknown, "[]", said("b", "x", "two"), '{"type":"mess'),
    ).toEqual(["one", "two"]);
  });

  test("are only those after a compaction", async () => {
    const compaction = { type: "compaction", id: "k", parentId: "a", timestamp: "", firstKeptEntryId: "a" };
    const line = JSON.stringify({ ...compaction, summary: "s", tokensBefore: 1 });
    expect(await textsOf(HEADER, said("a", null, "one"), line, said("b", "k", "two"))).toEqual(["two"]);
  });

  test("end where the file has circular parents", async () => {
    expect(await textsOf(HEADER, said("a", "b", "one"), said("b", "a", "two"))).toEqual(["one", "two"]);
  });

  test("are the end of a long file, from a whole line on", async () => {
    const large = said("a", null, "x".repeat(3 * 1024 * 1024));
    expect(await textsOf(HEADER, large, said("b", "a", "two"))).toEqual(["two"]);
  });

  test("cannot be read without a file", async () => {
    await expect(savedMessages(join(folder, "none.jsonl"))).rejects.toThrow("ENOENT");
  });
});
