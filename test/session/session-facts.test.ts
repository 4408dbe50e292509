import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { SessionFacts } from "../../agent/session/session-facts.ts";

/** Facts under a clock that can be moved. */
function factsAt(time: string) {
  const clock = { now: new Date(time) };
  return { clock, facts: new SessionFacts(tmpdir(), () => clock.now) };
}

describe("the date of a session", () => {
  it("stays the same after midnight, and a note tells of the new day once", () => {
    const { clock, facts } = factsAt("2026-11-21T23:59:00");
    expect(facts.notes([])).toEqual([]);
    clock.now = new Date("2026-11-22T00:01:00");
    expect(facts.date).toBe("2026-11-21");
    const notes = facts.notes([]);
    expect(notes).toMatchObject([{ customType: "date", display: false }]);
    expect(notes[0]?.content).toContain("Today is 2026-11-22.");
    expect(facts.notes(notes)).toEqual([]);
    clock.now = new Date("2026-11-23T00:01:00");
    expect(facts.notes(notes)[0]?.content).toContain("Today is 2026-11-23.");
  });

  it("is the present day for a session that is opened later", () => {
    const { clock, facts } = factsAt("2026-11-21T23:59:00");
    clock.now = new Date("2026-11-22T00:01:00");
    const notes = facts.notes([]);
    facts.renew();
    expect(facts.date).toBe("2026-11-22");
    expect(facts.notes(notes)).toEqual([]);
  });
});

describe("the permission mode of a session", () => {
  it("is told when it differs from what the model knows", () => {
    const { facts } = factsAt("2026-11-21T12:00:00");
    expect(facts.notes([], "auto")).toEqual([]);
    const confirm = facts.notes([], "confirm");
    expect(confirm).toMatchObject([{ customType: "permission-mode", display: false }]);
    expect(facts.notes(confirm, "confirm")).toEqual([]);
    const auto = facts.notes(confirm, "auto");
    expect(auto[0]?.content).toContain("without asking first");
    expect(facts.notes([...confirm, ...auto])).toEqual([]);
  });

  it("is told again when commands no longer run in a sandbox", () => {
    const { facts } = factsAt("2026-11-21T12:00:00");
    const sandboxed = facts.notes([], "sandboxed");
    expect(sandboxed[0]?.content).toContain("run in a sandbox");
    const after = facts.notes(sandboxed);
    expect(after[0]?.content).toContain("no longer run in the sandbox");
    expect(facts.notes([...sandboxed, ...after])).toEqual([]);
  });
});
