import { expect, it } from "vitest";
import { PacedWork } from "../../../agent/bundled/mcp/paced-work.ts";

it("work that is asked for all the time has longer and longer pauses", async () => {
  const { signal } = new AbortController();
  const begun: number[] = [];
  let slow = 0;
  const work = new PacedWork(
    async () => {
      begun.push(performance.now());
      work.ask(signal);
      work.ask(signal);
    },
    () => slow++,
  );
  work.ask(signal);
  await expect.poll(() => begun.length).toBe(3);
  const [first = 0, second = 0, third = 0] = begun;
  expect(second - first).toBeGreaterThan(990);
  expect(third - second).toBeGreaterThan(1980);
  expect(slow).toBe(0);
});

it("work that was asked for isn't done after an abort", async () => {
  const controller = new AbortController();
  let count = 0;
  const work = new PacedWork(
    async () => void count++,
    () => undefined,
  );
  work.ask(controller.signal);
  await work.done;
  work.ask(controller.signal);
  controller.abort();
  await work.done;
  expect(count).toBe(1);
});
