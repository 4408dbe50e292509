import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readPolicy } from "../../agent/sandbox/policy.ts";

let folder: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "tiller-policy-")));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe("the folders that look empty in the sandbox", () => {
  it.each([".docker/run", ".docker/desktop", ".colima", ".lima", ".orbstack/run"])(
    "include those with the sockets of containers: %s",
    async (name) => {
      const [home, work] = [join(folder, "home"), join(folder, "work")];
      for (const made of [join(home, name), join(home, ".tiller"), work]) mkdirSync(made, { recursive: true });
      const { emptied } = await readPolicy({
        ...{ roots: [work], home, agentDir: join(home, ".tiller") },
        ...{ caches: [], hidden: [], isSecret: () => false },
      });
      expect(emptied.filter((path) => path.startsWith(home))).toEqual([join(home, name), join(home, ".tiller")]);
    },
  );
});
