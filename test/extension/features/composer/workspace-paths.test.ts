import { describe, expect, test } from "vitest";
import type { PathMatches } from "../../../../extension/core/mentions/path-search.ts";
import { listedFiles } from "../../../../extension/core/mentions/path-sources.ts";
import { mentionMatches } from "../../../../extension/features/composer/mention-matches.ts";
import { WorkspacePaths } from "../../../../extension/features/composer/workspace-paths.ts";

describe("WorkspacePaths", () => {
  test("returns the files of the workspace, ignored ones last", async () => {
    const paths = new WorkspacePaths(
      async () => [
        {
          prefix: "",
          shown: listedFiles(async () => ["src/date.ts", "README.md"]),
          ignored: listedFiles(async () => ["dist/date.js"]),
        },
      ],
      () => undefined,
    );
    const answers: string[][] = [];
    await paths.find("date", [], ({ matches }) => answers.push(matches.map(({ path }) => path)));
    expect(answers.at(-1)).toEqual(["src/date.ts", "dist/date.js"]);
    paths.dispose();
  });

  test("returns results again when more files were listed", async () => {
    let go = (): void => undefined;
    const opened = new Promise<void>((resolve) => {
      go = resolve;
    });
    const paths = new WorkspacePaths(
      async () => [{ prefix: "", shown: listedFiles(() => opened.then(() => ["a.ts"])) }],
      () => undefined,
    );
    const answers: string[][] = [];
    const found = paths.find("a", [], ({ matches }) => {
      answers.push(matches.map(({ path }) => path));
      go();
    });
    await found;
    expect(answers).toEqual([[], ["a.ts"]]);
    paths.dispose();
  });

  test("has the files of three folders, with the folder's name in front, and drops those of a removed folder", async () => {
    const list = (prefix: string) => ({ prefix, shown: listedFiles(async () => [`src/${prefix.slice(0, 1)}.ts`]) });
    let lists = ["api/", "web/", "lib/"].map(list);
    const paths = new WorkspacePaths(
      async () => lists,
      () => undefined,
    );
    let found: string[] = [];
    const take = ({ matches }: PathMatches) => {
      found = matches.map(({ path }) => path);
    };
    await paths.find(".ts", [], take);
    expect(found.toSorted()).toEqual(["api/src/a.ts", "lib/src/l.ts", "web/src/w.ts"]);
    lists = ["api/", "web/"].map(list);
    paths.came("api/src/new.ts");
    paths.gone("api/src/a.ts");
    await paths.find("new", [], take);
    expect(found).toEqual(["api/src/new.ts"]);
    await expect
      .poll(async () => {
        await paths.find(".ts", [], take);
        return found.toSorted();
      })
      .toEqual(["api/src/a.ts", "web/src/w.ts"]);
    paths.dispose();
  });

  test("reports that the files could not be listed, and returns none", async () => {
    const errors: unknown[] = [];
    const paths = new WorkspacePaths(
      () => Promise.reject(new Error("no folder")),
      (error) => errors.push(error),
    );
    const answers: unknown[] = [];
    await paths.find("a", [], ({ matches }) => answers.push(matches));
    expect(answers).toEqual([[]]);
    expect(errors).toEqual([new Error("no folder")]);
  });
});

describe("mentionMatches", () => {
  test("offers words that begin with the query, then resources, then paths, in quotes where needed", () => {
    const path = { isFolder: false, isIgnored: false, isRecent: false, places: [] };
    const resource = {
      insert: "@tracker:x:1",
      label: "Plan",
      detail: "tracker · x:1",
      isFolder: false,
      isResource: true,
    };
    const found = {
      paths: [{ ...path, path: "my plan.md" }],
      resources: [resource],
      lines: { startLine: 3, endLine: 4 },
    };
    expect(mentionMatches("p", found)).toEqual([
      {
        insert: "@problems",
        label: "@problems",
        detail: "Errors and warnings",
        isFolder: false,
        word: "problems",
      },
      resource,
      { insert: '@"my plan.md":3-4', label: "my plan.md", detail: "", isFolder: false },
    ]);
  });
});
