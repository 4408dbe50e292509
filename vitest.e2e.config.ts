import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/e2e/**/*.test.ts"],
    fileParallelism: false,
    // The editor has moments in which it takes no key or click. Only here is a second try; what needed it is named at the end,
    // and `npm run test:e2e:repeat` fails for what needs it twice.
    retry: 1,
    testTimeout: 90_000,
    hookTimeout: 90_000,
    // The default of one second is short where an editor loads.
    expect: { poll: { timeout: 20_000 } },
  },
});
