import { describe, expect, test } from "vitest";
import { residentBytes } from "../../../../extension/features/sessions/process-memory.ts";

describe("process memory", () => {
  test("is given in bytes", async () => {
    const bytes = (await residentBytes(process.pid)) ?? 0;
    expect(bytes).toBeGreaterThan(10_000_000);
    expect(bytes).toBeLessThan(10_000_000_000);
  });

  test("is unknown for a missing process", async () => {
    expect(await residentBytes(2 ** 30)).toBe(undefined);
  });
});
