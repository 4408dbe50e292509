import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const STATEMENTS = 256;
const TESTS = fileURLToPath(new URL("..", import.meta.url));

function nameOf(statement: number): string {
  return `C${String(statement).padStart(3, "0")}`;
}

/** The statements that titles of tests name. A title is a string that stands first in a call, or first in a row of cases. */
function namedInTitles(): Set<string> {
  const names = new Set<string>();
  for (const path of readdirSync(TESTS, { recursive: true, encoding: "utf8" })) {
    if (!path.endsWith(".test.ts")) continue;
    const source = readFileSync(join(TESTS, path), "utf8");
    for (const [title] of source.matchAll(/[([]\s*(["'`])(?:\\.|(?!\1).)*\1/g)) {
      for (const [name] of title.matchAll(/\bC\d{3}\b/g)) names.add(name);
    }
  }
  return names;
}

it("every statement of the protocol has a test", () => {
  const named = namedInTitles();
  const all = Array.from({ length: STATEMENTS }, (_, index) => nameOf(index + 1));
  console.info(
    `${all.filter((name) => named.has(name)).length} of ${STATEMENTS} statements of the protocol have a test.`,
  );
  expect(all.filter((name) => !named.has(name))).toEqual([]);
  expect([...named].filter((name) => !all.includes(name))).toEqual([]);
});
