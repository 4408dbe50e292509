import { expect, it } from "vitest";
import { RecordingTrouble } from "../../agent/changes/recording-trouble.ts";

it("recording continues when a change cannot be recorded, reports each reason once, and reports when it works again", async () => {
  const told: [string | undefined, boolean][] = [];
  const trouble = new RecordingTrouble((reason, isNews) => told.push([reason, isNews]));
  const fail = (reason: string) => () => Promise.reject(new Error(reason));
  const work = async () => undefined;
  await trouble.record(work);
  expect(told).toEqual([]);
  await trouble.prepare(fail("the disk is full"));
  await trouble.record(fail("the disk is full"));
  await trouble.prepare(work); // looking at a file does not show that writing works again
  expect(trouble.reason).toBe("the disk is full");
  await trouble.record(work);
  expect(trouble.reason).toBeUndefined();
  await trouble.record(fail("the disk is full"));
  await trouble.record(fail("no such folder"));
  expect(told).toEqual([
    ["the disk is full", true],
    ["the disk is full", false],
    [undefined, false],
    ["the disk is full", false],
    ["no such folder", true],
  ]);
});
