import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/e2e/**", "test/fixtures/**"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // The default of one second is short on a machine that is busy.
    expect: { poll: { timeout: 10_000 } },
    maxWorkers: 2,
    // On a machine that checks in, one test that lost a race does not turn a change away; it is named at the end, and is to be mended.
    retry: process.env.CI ? 1 : 0,
  },
});
