import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/scripts/**/*.test.ts"],
    fileParallelism: false,
    // They install whole editors.
    testTimeout: 1_200_000,
    hookTimeout: 1_200_000,
  },
});
