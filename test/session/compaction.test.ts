import { describe, expect, it } from "vitest";
import {
  fileLists,
  fileOperations,
  withFileBlocks,
  withoutFileBlocks,
} from "../../agent/session/compaction/file-lists.ts";
import { limitsFor, planCompaction } from "../../agent/session/compaction/plan.ts";
import { historyRequest, turnRequest } from "../../agent/session/compaction/request-text.ts";
import { writeTranscript } from "../../agent/session/compaction/transcript.ts";
import { contextTokens } from "../../agent/session/token-count.ts";
import { answer, call, compaction, pathOf, result, said } from "./path-samples.ts";

describe("a compaction plan", () => {
  it("keeps the newest messages and summarizes older ones", () => {
    const path = pathOf(said("a".repeat(400)), answer("b".repeat(400)), said("c".repeat(400)), answer("d".repeat(400)));
    const plan = planCompaction(path, { keepRecentTokens: 150 });
    expect(plan).toMatchObject({ firstKeptEntryId: "e2", tokensBefore: 400, turnBeginning: [] });
    expect(plan?.history).toHaveLength(2);
  });

  it("splits a turn that is longer than the part to keep", () => {
    const path = pathOf(said("old"), answer("x"), said("go"), answer("y".repeat(400)), answer("z".repeat(400)));
    const plan = planCompaction(path, { keepRecentTokens: 100 });
    expect(plan?.firstKeptEntryId).toBe("e4");
    expect(plan?.history.map(({ role }) => role)).toEqual(["user", "assistant"]);
    expect(plan?.turnBeginning.map(({ role }) => role)).toEqual(["user", "assistant"]);
  });

  it("goes back to the call when the newest result alone is too long", () => {
    const path = pathOf(said("go"), call("1", "read", { path: "a.ts" }), result("1", "r".repeat(4000)));
    expect(planCompaction(path, { keepRecentTokens: 100 })?.firstKeptEntryId).toBe("e1");
  });

  it("is empty when everything is recent, and right after a compaction", () => {
    const path = pathOf(said("short"), answer("answer"));
    expect(planCompaction(path, { keepRecentTokens: 100 })).toBeUndefined();
    const compacted = pathOf(said("a".repeat(400)), said("b".repeat(400)), compaction("e1"));
    expect(planCompaction(compacted, { keepRecentTokens: 10 })).toBeUndefined();
  });

  it("begins at the last cut and carries its summary and files on", () => {
    const path = pathOf(
      said("forgotten"),
      said("kept so far"),
      compaction("e1", "Before.\n\n<read-files>\nold.ts\n</read-files>", { readFiles: ["old.ts"], modifiedFiles: [] }),
      call("1", "edit", { path: "new.ts" }),
      result("1", "done"),
      said("n".repeat(400)),
    );
    const plan = planCompaction(path, { keepRecentTokens: 100 });
    expect(plan?.previousSummary).toBe("Before.");
    expect(plan?.history).toMatchObject([
      { content: [{ text: "kept so far" }] },
      { role: "assistant" },
      { role: "toolResult" },
    ]);
    expect(plan?.files).toEqual({ read: new Set(["old.ts"]), written: new Set(), edited: new Set(["new.ts"]) });
  });

  it("leaves out invalid details of a file", () => {
    const path = pathOf(said("x"), compaction("gone", "Before.", "junk"), said("a".repeat(400)), said("b".repeat(400)));
    const plan = planCompaction(path, { keepRecentTokens: 100 });
    expect(plan?.files).toEqual({ read: new Set(), written: new Set(), edited: new Set() });
    expect(plan?.history).toHaveLength(1);
  });

  it("leaves room in a window that is smaller than the settings say", () => {
    expect(limitsFor({ reserveTokens: 16_384, keepRecentTokens: 20_000 }, 200_000)).toEqual({
      reserveTokens: 16_384,
      keepRecentTokens: 20_000,
    });
    expect(limitsFor({ reserveTokens: 16_384, keepRecentTokens: 20_000 }, 8000)).toEqual({
      reserveTokens: 4000,
      keepRecentTokens: 2000,
    });
  });
});

describe("context usage", () => {
  it("is the last complete answer's report plus an estimate of what follows", () => {
    const messages = [said("x".repeat(4000)), answer("y", 500), answer("broken", 900, "error"), said("z".repeat(40))];
    expect(contextTokens(messages, 0)).toBe(512);
    expect(contextTokens(messages, 2)).toBe(1012);
  });

  it("counts an image as 1200 tokens and commands hidden from the model as nothing", () => {
    const image = { type: "image" as const, data: "aGk=", mimeType: "image/png" };
    const hidden = { role: "bashExecution" as const, command: "ls", output: "o".repeat(400), exitCode: 0 };
    expect(contextTokens([{ role: "user", content: [image], timestamp: 0 }], 0)).toBe(1200);
    expect(
      contextTokens([{ ...hidden, cancelled: false, truncated: false, excludeFromContext: true, timestamp: 0 }], 0),
    ).toBe(0);
  });
});

describe("the request for a summary", () => {
  it("names the headings, contains the previous notes and the user's wishes", () => {
    const text = historyRequest({ transcript: "T", previousSummary: "P", customInstructions: "Mind the API." });
    for (const heading of ["Goal", "Constraints & Preferences", "Progress", "Done", "In Progress", "Blocked"]) {
      expect(text).toMatch(new RegExp(`^#{2,3} ${heading}$`, "m"));
    }
    for (const heading of ["Key Decisions", "Next Steps", "Critical Context"]) expect(text).toContain(`## ${heading}`);
    expect(text).toContain("<previous-notes>\nP\n</previous-notes>");
    expect(text).toContain("Mind the API.");
    expect(turnRequest("T", undefined)).not.toContain("The user asks");
  });

  it("shortens tool results, shows calls and hides excluded commands", () => {
    const text = writeTranscript(
      [said("look"), call("1", "read", { path: "a.ts" }), result("1", "r".repeat(2500))],
      10_000,
    );
    expect(text).toContain('[Call]\nread {"path":"a.ts"}');
    expect(text).toContain(`[Result of read]\n${"r".repeat(2000)}\n[500 more characters]`);
    const secret = { command: "env", output: "KEY=1", cancelled: false, truncated: false, timestamp: 0 };
    expect(writeTranscript([{ role: "bashExecution", ...secret, excludeFromContext: true }], 100)).toBe("");
  });

  it("leaves out the oldest messages when all are too long for the model", () => {
    const text = writeTranscript([said("a".repeat(80)), said("b".repeat(60))], 100);
    expect(text).toBe(
      `[The oldest messages are left out: they do not fit into this request.]\n\n[User]\n${"b".repeat(60)}`,
    );
  });
});

describe("file lists in a summary", () => {
  it("name a file once: changed files are not also listed as read", () => {
    const messages = [
      call("1", "read", { path: "b.ts" }),
      call("2", "read", { path: "a.ts" }),
      call("3", "write", { path: "b.ts" }),
      call("4", "bash", { path: "no" }),
      call("5", "read", { path: 7 }),
    ];
    expect(fileLists(fileOperations(messages, []))).toEqual({ readFiles: ["a.ts"], modifiedFiles: ["b.ts"] });
  });

  it("name files that a model read and changed by other names of tools and arguments", () => {
    const messages = [call("1", "Read", { file_path: "a.ts" }), call("2", "write_to_file", { filename: "b.ts" })];
    expect(fileLists(fileOperations(messages, []))).toEqual({ readFiles: ["a.ts"], modifiedFiles: ["b.ts"] });
  });

  it("are blocks after the summary and can be removed again", () => {
    const text = withFileBlocks("Notes", { readFiles: ["a", "b"], modifiedFiles: ["c"] });
    expect(text).toBe("Notes\n\n<read-files>\na\nb\n</read-files>\n\n<modified-files>\nc\n</modified-files>");
    expect(withoutFileBlocks(text)).toBe("Notes");
    expect(withFileBlocks("Notes", { readFiles: [], modifiedFiles: [] })).toBe("Notes");
  });
});
