import { describe, expect, test } from "vitest";
import { RenewedSecret } from "../../agent/providers/renewed-secret.ts";

const signal = new AbortController().signal;
const HOUR_MS = 3_600_000;

interface Given {
  /** The lifetimes of successive secrets. The last one applies to all others. */
  lifetimesMs?: readonly number[];
  /** The numbers of the fetches that fail. */
  failing?: readonly number[];
}

function secret({ lifetimesMs = [HOUR_MS], failing = [] }: Given = {}) {
  const fetches: AbortSignal[] = [];
  const renewed = new RenewedSecret<{ number: number; endsAt: number }>({
    async fetch(stop) {
      const number = fetches.push(stop);
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (failing.includes(number)) throw new Error(`fetch ${number} failed`);
      return { number, endsAt: Date.now() + (lifetimesMs[number - 1] ?? lifetimesMs.at(-1) ?? 0) };
    },
    endOf: ({ endsAt }) => endsAt,
    earlyMs: 60_000,
  });
  return { renewed, fetches };
}

describe("a secret that is renewed", () => {
  test("is fetched once for requests at the same time, one of which may go away", async () => {
    const { renewed, fetches } = secret();
    const controller = new AbortController();
    const gone = renewed.get(controller.signal);
    const waiting = renewed.get(signal);
    controller.abort();
    await expect(gone).rejects.toMatchObject({ kind: "aborted" });
    expect(await waiting).toMatchObject({ number: 1 });
    expect(await renewed.get(signal)).toMatchObject({ number: 1 });
    expect(fetches).toHaveLength(1);
  });

  test("is no longer fetched when nobody waits, nor for a request that has ended", async () => {
    const { renewed, fetches } = secret({ failing: [1] });
    const controller = new AbortController();
    const gone = renewed.get(controller.signal);
    controller.abort();
    await expect(gone).rejects.toMatchObject({ kind: "aborted" });
    expect(fetches[0]?.aborted).toBe(true);
    await expect(renewed.get(controller.signal)).rejects.toMatchObject({ kind: "aborted" });
    expect(fetches).toHaveLength(1);
    expect(await renewed.get(signal)).toMatchObject({ number: 2 });
  });

  test("is used to its end where it can't be renewed", async () => {
    const { renewed } = secret({ lifetimesMs: [30_000], failing: [2] });
    await renewed.get(signal);
    expect(await renewed.get(signal)).toMatchObject({ number: 1 });
    expect(await renewed.get(signal)).toMatchObject({ number: 3 });
    const ended = secret({ lifetimesMs: [0], failing: [2] }).renewed;
    await ended.get(signal);
    await expect(ended.get(signal)).rejects.toThrow("fetch 2 failed");
  });
});
