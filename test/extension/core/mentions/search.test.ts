import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FileIndex } from "../../../../extension/core/mentions/file-index.ts";
import { fuzzyPlaces, fuzzyScore, readQuery } from "../../../../extension/core/mentions/fuzzy.ts";
import { PathSearch } from "../../../../extension/core/mentions/path-search.ts";
import { listedFiles } from "../../../../extension/core/mentions/path-sources.ts";

function indexOf(...paths: string[]): FileIndex {
  const index = new FileIndex();
  index.add(paths);
  return index;
}

async function found(index: FileIndex, query: string, recent: string[] = []): Promise<string[]> {
  const result = await new PathSearch(index).find(query, recent);
  return (result?.matches ?? []).map(({ path }) => path);
}

/** The path with what was matched in brackets. */
function marked(query: string, path: string): string {
  const places = new Set(fuzzyPlaces(readQuery(query), path));
  return Array.from({ length: path.length }, (_, at) =>
    places.has(at) ? `[${path.charAt(at)}]` : path.charAt(at),
  ).join("");
}

describe("fuzzy matching", () => {
  it.each([
    ["btn", "src/obtain/Button.ts", "src/obtain/[B]ut[t]o[n].ts"],
    ["fb", "src/fab/FooBar.ts", "src/fab/[F]oo[B]ar.ts"],
    ["index", "i/n/d/e/x/index.ts", "i/n/d/e/x/[i][n][d][e][x].ts"],
    ["s/u", "src/ui/user.ts", "[s]rc/ui[/][u]ser.ts"],
    ["user ui", "src/ui/user.ts", "src/[u][i]/[u][s][e][r].ts"],
    ["src\\a", "src/a.ts", "[s][r][c][/][a].ts"],
    ["Ü", "über/Übung.md", "über/[Ü]bung.md"],
    ["ts2", "lib/ts-old/ts2.ts", "lib/ts-old/[t][s][2].ts"],
  ])("%s in %s is found at the best places", (query, path, wanted) => {
    expect(marked(query, path)).toBe(wanted);
  });

  it("matches a capital letter only with itself, a small one with both", () => {
    expect(fuzzyScore(readQuery("FB"), "foobar")).toBeUndefined();
    expect(fuzzyScore(readQuery("fb"), "FooBar")).toBeGreaterThan(0);
  });

  it("gives the best score of all possible places", () => {
    const letters = fc.constantFrom("a", "b", "A", "B", "/", "-", "1");
    const path = fc.array(letters, { minLength: 1, maxLength: 9 }).map((parts) => parts.join(""));
    const query = fc
      .array(fc.constantFrom("a", "b", "A", "/"), { minLength: 1, maxLength: 4 })
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(path, query, (text, wanted) => {
        const read = readQuery(wanted);
        const base = fuzzyScore(read, text);
        const choices = placesOf(text, wanted);
        expect(base === undefined).toBe(choices.length === 0);
        if (base === undefined) return;
        const sums = choices.map((places) => sumOf(text, places));
        // The bonus for the start of a name is the same for every choice.
        const bonus = base - Math.max(...sums);
        expect([0, 14, 28, 42]).toContain(bonus);
        expect(sumOf(text, fuzzyPlaces(read, text))).toBe(Math.max(...sums));
        expect(fuzzyScore(read, text, base)).toBe(base);
        expect(fuzzyScore(read, text, base + 1)).toBeLessThanOrEqual(base);
      }),
      { numRuns: 500 },
    );
  });
});

function placesOf(path: string, query: string, from = 0): number[][] {
  if (query === "") return [[]];
  const [first = "", rest] = [query.charAt(0), query.slice(1)];
  const choices: number[][] = [];
  for (let at = from; at < path.length; at += 1) {
    const unit = path.charAt(at);
    if (unit !== first && (first !== first.toLowerCase() || unit.toLowerCase() !== first)) continue;
    for (const others of placesOf(path, rest, at + 1)) choices.push([at, ...others]);
  }
  return choices;
}

/** The documented scores, computed the plain way. */
function sumOf(path: string, places: readonly number[]): number {
  const nameStart = path.replace(/\/$/, "").lastIndexOf("/") + 1;
  return places.reduce((sum, at, index) => {
    const before = path.charAt(at - 1);
    const unit = path.charAt(at);
    let bonus = 0;
    if (at === 0 || before === "/") bonus = 10;
    else if (before === "-") bonus = /[a-z0-9]/i.test(unit) ? 8 : 0;
    else if (/[A-Z]/.test(unit) && !/[A-Z]/.test(before)) bonus = 7;
    else if (/[0-9]/.test(unit) && !/[0-9]/.test(before)) bonus = 7;
    const own = 16 + (at >= nameStart ? 4 : 0);
    const last = places[index - 1];
    if (last === undefined) return sum + own + 2 * bonus;
    return sum + own + (last === at - 1 ? Math.max(10, bonus) : bonus - (at - 1 - last));
  }, 0);
}

describe("the search", () => {
  it("prefers names to folders, whole names to beginnings, short paths to long ones", async () => {
    const index = indexOf("chat/a.ts", "src/chatter.ts", "src/deep/chat.ts", "src/chat.ts", "xchatx.ts");
    expect(await found(index, "chat")).toEqual([
      "chat/",
      "src/chat.ts",
      "src/deep/chat.ts",
      "src/chatter.ts",
      "chat/a.ts",
      "xchatx.ts",
    ]);
  });

  it("offers recent files first, and ignored ones last", async () => {
    const index = indexOf("src/a.ts", "src/b.ts", "src/c.ts");
    await index.fill(
      listedFiles(async () => ["out/s.ts"]),
      { isIgnored: true, signal: new AbortController().signal },
    );
    expect(await found(index, "s", ["src/c.ts", "src/b.ts"])).toEqual([
      "src/c.ts",
      "src/b.ts",
      "src/",
      "src/a.ts",
      "out/s.ts",
    ]);
  });

  it("offers recent files, then top-level files for an empty query", async () => {
    const index = indexOf("src/deep/a.ts", "b.md", "src/c.ts");
    expect(await found(index, "", ["src/deep/a.ts"])).toEqual([
      "src/deep/a.ts",
      "b.md",
      "src/",
      "src/c.ts",
      "src/deep/",
    ]);
  });

  it("offers at most fifty and counts all matches", async () => {
    const index = indexOf(...Array.from({ length: 120 }, (_, at) => `file${at}.ts`));
    const result = await new PathSearch(index).find("file");
    expect([result?.matches.length, result?.total, result?.isComplete]).toEqual([50, 120, true]);
  });

  it("cancels the previous search", async () => {
    const index = indexOf(...Array.from({ length: 60_000 }, (_, at) => `some/folder/with/files/file-number-${at}.ts`));
    const search = new PathSearch(index);
    const [first, second] = await Promise.all([search.find("f"), search.find("file-number-59999")]);
    expect(first).toBeUndefined();
    expect(second?.matches.map(({ path }) => path)).toEqual(["some/folder/with/files/file-number-59999.ts"]);
  });

  it("finds while typing the same as a fresh search, whatever is added and removed in between", async () => {
    const name = fc
      .array(fc.constantFrom("a", "b", "C", "d-"), { minLength: 1, maxLength: 4 })
      .map((parts) => parts.join(""));
    const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));
    const step = fc.record({
      query: fc.array(fc.constantFrom("a", "b", "c", "C", " ", "/"), { maxLength: 4 }).map((parts) => parts.join("")),
      add: fc.array(path, { maxLength: 2 }),
      remove: fc.array(path, { maxLength: 1 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(path, { minLength: 80, maxLength: 120 }),
        fc.array(step, { maxLength: 8 }),
        async (paths, steps) => {
          const index = indexOf(...paths);
          const search = new PathSearch(index);
          for (const { query, add, remove } of steps) {
            index.add(add);
            index.remove(remove);
            for (let end = 0; end <= query.length; end += 1) {
              const typed = query.slice(0, end);
              expect(await search.find(typed)).toEqual(await new PathSearch(index).find(typed));
            }
            const all = index.groups
              .flat()
              .filter((entry) => !entry.isGone && fuzzyScore(readQuery(query), entry.path) !== undefined);
            expect((await search.find(query))?.total).toBe(all.length);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it("does not depend on the order in which files came", async () => {
    const paths = Array.from({ length: 300 }, (_, at) => `p${at % 7}/q${at % 11}/file${at}.ts`);
    expect(await found(indexOf(...paths), "pf")).toEqual(await found(indexOf(...paths.toReversed()), "pf"));
  });
});
