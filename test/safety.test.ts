import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const page = readFileSync(new URL("../docs/safety.md", import.meta.url), "utf8");
const named = [...page.matchAll(/`(test\/[\w./-]+\.test\.ts)`/g)].map(([, path = ""]) => path);

describe("each promise of docs/safety.md", () => {
  it("names tests", () => {
    expect(named.length).toBeGreaterThan(15);
  });

  it.each(named)("has its test %s", (path) => {
    expect(existsSync(new URL(`../${path}`, import.meta.url))).toBe(true);
  });
});
