import { describe, expect, test } from "vitest";
import { SessionMarks } from "../../../../extension/features/sessions/session-marks.ts";
import { memoryStore } from "../../../support/memory-store.ts";

describe("session marks", () => {
  test("are stored, at most one per session", () => {
    const store = memoryStore();
    const marks = new SessionMarks(store);
    marks.set("/s/a.jsonl", "pinned");
    marks.set("/s/b.jsonl", "archived");
    marks.set("/s/a.jsonl", "archived");
    marks.set("/s/c.jsonl", "pinned");
    const again = new SessionMarks(store);
    expect(["a", "b", "c", "d"].map((name) => again.of(`/s/${name}.jsonl`))).toEqual([
      "archived",
      "archived",
      "pinned",
      undefined,
    ]);
    again.set("/s/c.jsonl", undefined);
    expect(again.pinned).toEqual([]);
  });

  test("are empty when the stored value cannot be read", async () => {
    const store = memoryStore();
    await store.update("tiller.sessionMarks", { pinned: "all" });
    expect(new SessionMarks(store).pinned).toEqual([]);
  });
});
