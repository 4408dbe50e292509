import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { InstructionAccess } from "../../agent/prompt/instruction-file.ts";
import { importsOf, readImports } from "../../agent/prompt/instruction-imports.ts";
import { writeFiles } from "../support/extension-files.ts";

describe("the imports of a text", () => {
  it.each([
    ["a path in a sentence", "See @README and @docs/a.md for more", ["README", "docs/a.md"]],
    ["a path on its own line", "@a.md\n@~/b.md\r\n", ["a.md", "~/b.md"]],
    ["a path in a list", "- one\n\n    - @a.md", ["a.md"]],
    ["a path with an escaped blank", "@my\\ file.md", ["my file.md"]],
    ["no address of mail", "write to a@b.c", []],
    ["nothing in a code span", "use `@a.md` and ``x ` @b.md`` but @c.md", ["c.md"]],
    ["what follows a lone backtick", "a ` and @a.md\n\n`", ["a.md"]],
    ["nothing in a fence", "```sh\n@a.md\n```\n~~~~\n@b.md\n~~~\n@c.md\n~~~~\n@d.md", ["d.md"]],
    ["nothing in a fence without an end", "```\n@a.md", []],
    ["nothing in indented code", "text\n\n    @a.md\n\n    @b.md\n\n@c.md", ["c.md"]],
    ["what continues a paragraph", "text\n    @a.md", ["a.md"]],
  ])("are %s", (_, text, paths) => {
    expect(importsOf(text)).toEqual(paths);
  });

  it("are found in time proportional to the text", () => {
    const startedAt = performance.now();
    importsOf(`@a ${"` ".repeat(100_000)}`);
    importsOf(`@a ${Array.from({ length: 600 }, (_, length) => "`".repeat(length)).join(" ")}`);
    importsOf("@\\ ".repeat(60_000));
    expect(performance.now() - startedAt).toBeLessThan(2000);
  });
});

describe("imported files", () => {
  let folder: string;
  let warnings: string[];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "tiller-imports-"));
    warnings = [];
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function read(files: Record<string, string>): string[] {
    writeFiles(folder, files);
    const access: InstructionAccess = {
      home: folder,
      kinds: { agents: true, claude: true, copilot: true, cursor: true },
      isDenied: () => false,
      warn: (message) => warnings.push(message),
    };
    const path = join(folder, "CLAUDE.md");
    return readImports({ path, text: files["CLAUDE.md"] ?? "", kind: "claude" }, folder, access).map(
      ({ text }) => text,
    );
  }

  it("import others four times in a row, and no more", () => {
    const chain = Object.fromEntries([1, 2, 3, 4, 5].map((step) => [`${step}.md`, `${step} @${step + 1}.md`]));
    expect(read({ "CLAUDE.md": "@1.md", ...chain })).toEqual(["1 @2.md", "2 @3.md", "3 @4.md", "4 @5.md"]);
  });

  it("come once, also when they import each other", () => {
    expect(read({ "CLAUDE.md": "@a.md @b.md @a.md", "a.md": "A @b.md @CLAUDE.md", "b.md": "B @a.md" })).toEqual([
      "A @b.md @CLAUDE.md",
      "B @a.md",
    ]);
  });

  it("are at most fifty, and at most 200,000 characters", () => {
    const numbers = Array.from({ length: 60 }, (_, index) => index);
    const many = Object.fromEntries(numbers.map((number) => [`${number}.md`, `${number}`]));
    expect(read({ "CLAUDE.md": numbers.map((number) => `@${number}.md`).join(" "), ...many })).toHaveLength(50);
    const long = { "x.md": "x".repeat(150_000), "y.md": "y".repeat(150_000) };
    expect(read({ "CLAUDE.md": "@x.md @y.md", ...long })).toHaveLength(1);
    expect(warnings.at(-1)).toBe(
      `${join(folder, "y.md")} is left out because ${join(folder, "CLAUDE.md")} imports too much.`,
    );
  });

  it("may be missing, and are no folders", () => {
    expect(read({ "CLAUDE.md": "@missing.md @types/node @folder", "folder/a.md": "A" })).toEqual([]);
    expect(warnings).toEqual([]);
  });
});
