import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..");

/** What the table says: complaint and file, as `complaint 1: words in test/a.test.ts`. */
function promised(): string[] {
  const guide = readFileSync(join(ROOT, "CONTRIBUTING.md"), "utf8");
  const start = guide.indexOf("## What must never happen");
  const section = guide.slice(start, guide.indexOf("\n## ", start + 1));
  return [...section.matchAll(/^\| (\d+) \| (.+?) \| (.+) \|$/gm)].flatMap(([, number, words, files = ""]) =>
    [...files.matchAll(/`([^`]+)`/g)].map(([, file]) => `complaint ${number}: ${words} in ${file}`),
  );
}

/** The same as the titles of tests say it. A title ends its complaint with a full stop, a bracket or its own end. */
function kept(): string[] {
  const files = readdirSync(join(ROOT, "test"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => join(ROOT, "test", name))
    .filter((path) => path !== import.meta.filename);
  return files.flatMap((path) => {
    const titles = readFileSync(path, "utf8").matchAll(
      /^\s*(?:(?:describe|it|test)(?:\.\w+\(\w+\))?\()?\s*"[^"\n]*(complaint \d+: [^".)]+)/gm,
    );
    const name = relative(ROOT, path).replaceAll("\\", "/");
    return [...new Set([...titles].map(([, complaint]) => `${complaint} in ${name}`))];
  });
}

describe("the complaints that CONTRIBUTING.md lists", () => {
  it("are 25, each with a test", () => {
    const numbers = promised().map((line) => Number(/\d+/.exec(line)?.[0]));
    expect([...new Set(numbers)]).toEqual(Array.from({ length: 25 }, (_, at) => at + 1));
  });

  it("are in the titles of the tests that it names, and no title has one that it does not name", () => {
    expect(kept().sort()).toEqual(promised().sort());
  });
});
