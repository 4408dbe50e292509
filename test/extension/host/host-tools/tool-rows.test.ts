import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { ALL_ROWS } from "../../../e2e/support/tool-rows/all-rows.ts";
import { readProjectFile } from "../../../support/manifest.ts";

const TOOLS = fileURLToPath(new URL("../../../../extension/host/host-tools", import.meta.url));

/** The names of all tools, as their definitions give them. */
async function toolNames(): Promise<string[]> {
  const files = (await readdir(TOOLS, { recursive: true })).filter((name) => name.endsWith(".ts"));
  const texts = await Promise.all(files.map((name) => readFile(`${TOOLS}/${name}`, "utf8")));
  return texts.flatMap((text) => [...text.matchAll(/^ +name: "(vscode_\w+)",$/gm)].map(([, name = ""]) => name)).sort();
}

it("every tool of the editor is called in the editor, once well and once in a way that fails", async () => {
  const names = await toolNames();
  expect(names.length).toBeGreaterThanOrEqual(43);
  const called = (isGood: boolean) => new Set(ALL_ROWS.filter((row) => row.isGood === isGood).map(({ tool }) => tool));
  const [well, badly] = [called(true), called(false)];
  expect(names.filter((name) => !well.has(name))).toEqual([]);
  expect(names.filter((name) => !badly.has(name))).toEqual([]);
  expect([...well, ...badly].filter((name) => !names.includes(name))).toEqual([]);
});

it("docs/editor-tools.md names every tool of the editor", async () => {
  const page = await readProjectFile("docs/editor-tools.md");
  expect((await toolNames()).filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
