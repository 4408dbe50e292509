import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Begun last, one of them would run alone for minutes: without times of an earlier run, large files come first, and these are small. */
const SLOW = /\/(hostile|grammar-fuzz|size|hanging-faults|languages)\.test\.ts$/;

class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification) => SLOW.test(moduleId);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}

// Each tier is a project; `vitest run --project unit` runs one. The groups keep them from running side by side.
export default defineConfig({
  test: {
    sequence: { sequencer: SlowFirst },
    projects: [
      {
        test: {
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: ["test/e2e/**", "test/scripts/**", "test/windows/**", "test/fixtures/**"],
          testTimeout: 30_000,
          hookTimeout: 60_000,
          // The default of one second is short on a machine that is busy.
          expect: { poll: { timeout: 10_000 } },
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: "scripts",
          include: ["test/scripts/**/*.test.ts"],
          fileParallelism: false,
          // They install whole editors.
          testTimeout: 1_200_000,
          hookTimeout: 1_200_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          // The agent as a process on Windows; `npm run test:windows` starts Wine and names the files.
          name: "windows",
          include: ["test/**/*.test.ts"],
          exclude: ["test/e2e/**", "test/scripts/**", "test/fixtures/**"],
          setupFiles: ["test/windows/setup.ts"],
          testTimeout: 90_000,
          hookTimeout: 90_000,
          expect: { poll: { timeout: 30_000 } },
          maxWorkers: 2,
          sequence: { groupOrder: 3 },
        },
      },
      {
        test: {
          name: "editor",
          include: ["test/e2e/**/*.test.ts"],
          fileParallelism: false,
          // The editor sometimes ignores a key or a click. Only these tests get a second try; the ones that needed it are named at the end,
          // and `npm run test:e2e:repeat` fails if a test needs it twice.
          retry: 1,
          testTimeout: 90_000,
          hookTimeout: 90_000,
          // The default of one second is short where an editor loads.
          expect: { poll: { timeout: 20_000 } },
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
