import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { withTimeLimit } from "../../agent/util/with-time-limit.ts";

function cleanUpMemory(): void {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
}

function aborted(signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(signal.reason), { once: true }));
}

it("aborts after its time, also when the memory was cleaned up", async () => {
  const over = aborted(withTimeLimit(new AbortController().signal, 100).signal);
  await new Promise((resolve) => setTimeout(resolve, 10));
  cleanUpMemory();
  cleanUpMemory();
  expect(await over).toMatchObject({ name: "TimeoutError" });
});

it("aborts with the other signal, and at once if that has aborted", async () => {
  const controller = new AbortController();
  const over = aborted(withTimeLimit(controller.signal, 60_000).signal);
  controller.abort("stop");
  expect(await over).toBe("stop");
  expect(withTimeLimit(controller.signal, 60_000).signal.reason).toBe("stop");
});

it("doesn't abort after its end", async () => {
  const controller = new AbortController();
  const { signal, end } = withTimeLimit(controller.signal, 10);
  end();
  await new Promise((resolve) => setTimeout(resolve, 30));
  controller.abort();
  expect(signal.aborted).toBe(false);
});
