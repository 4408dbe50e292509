import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

test("a bench that cannot be measured is named at the end, and the others are measured", () => {
  const script = new URL("run.ts", import.meta.url).pathname;
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, "page", "size"], {
    encoding: "utf8",
    env: { ...process.env, TILLER_CHROMIUM: "/nonexistent/chromium" },
  });
  expect(stderr).toContain("Could not be measured: page.");
  expect(stdout).toMatch(/^extension bundle +\d+ KiB/m);
  expect(status).toBe(1);
});
