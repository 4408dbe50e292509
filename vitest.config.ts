import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/e2e/**", "test/scripts/**", "test/fixtures/**"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // The default of one second is short on a machine that is busy.
    expect: { poll: { timeout: 10_000 } },
    maxWorkers: 2,
  },
});
