import { describe, expect, test } from "vitest";
import { WireTrace } from "../../../../extension/core/trace/wire-trace.ts";

const seqs = (trace: WireTrace) => trace.after(0).map(({ seq }) => seq);

/** A trace with room for frames of 36 units, which count 100 with what an entry costs. */
function traceOf(frames: number): WireTrace {
  let now = 1_000;
  return new WireTrace({ isEnabled: true, maxChars: frames * 100 }, () => (now += 10));
}
const FRAME = "x".repeat(36);

describe("a trace", () => {
  test("keeps the last frames that fit, and counts the dropped ones", () => {
    const trace = traceOf(3);
    for (let index = 0; index < 5; index += 1) trace.frame("in", FRAME);
    expect(seqs(trace)).toEqual([3, 4, 5]);
    expect([trace.count, trace.dropped, trace.heldChars]).toEqual([3, 2, 300]);
    expect(trace.entry(2)).toBeUndefined();
    expect(trace.entry(4)).toEqual({ seq: 4, at: 1_040, direction: "in", text: FRAME, size: 36 });
  });

  test("stays within its limit over any number of frames, and drops old ones at once when the limit shrinks", () => {
    const trace = traceOf(1_500);
    for (let index = 0; index < 20_000; index += 1) trace.frame("in", FRAME);
    expect([trace.count, trace.heldChars, seqs(trace)[0]]).toEqual([1_500, 150_000, 18_501]);
    trace.configure({ isEnabled: true, maxChars: 250 });
    expect(seqs(trace)).toEqual([19_999, 20_000]);
    trace.configure({ isEnabled: false, maxChars: 250 });
    expect([trace.count, trace.heldChars]).toEqual([0, 0]);
  });

  test("returns the frames after another one, even when that is gone", () => {
    const trace = traceOf(4);
    for (let index = 0; index < 6; index += 1) trace.frame("out", FRAME);
    expect(trace.after(1).map(({ seq }) => seq)).toEqual([3, 4, 5, 6]);
    expect(trace.after(4).map(({ seq }) => seq)).toEqual([5, 6]);
    expect(trace.after(4, 1).map(({ seq }) => seq)).toEqual([5]);
    expect(trace.after(6)).toEqual([]);
  });

  test("notes a frame that is too large without its text", () => {
    const trace = traceOf(2);
    trace.frame("in", "y".repeat(1_000));
    expect(trace.after(0)).toEqual([{ seq: 1, at: 1_010, direction: "in", text: "", size: 1_000 }]);
  });

  test("keeps nothing while it is off, makes no texts of notes, and still knows when the last frame came", () => {
    const trace = new WireTrace(undefined, () => 77);
    trace.frame("in", FRAME);
    expect(trace.note(() => expect.fail("not to be made"))).toBe(77);
    expect([trace.count, trace.frameAt]).toEqual([0, 77]);
  });

  test("notifies listeners until they stop", () => {
    const trace = traceOf(2);
    let calls = 0;
    const stop = trace.onChange(() => {
      calls += 1;
    });
    trace.frame("in", FRAME);
    trace.clear();
    stop();
    trace.frame("in", FRAME);
    expect(calls).toBe(2);
  });
});
