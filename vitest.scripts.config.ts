import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/scripts/**/*.test.ts"],
    fileParallelism: false,
    // They install whole editors.
    testTimeout: 900_000,
    hookTimeout: 900_000,
  },
});
