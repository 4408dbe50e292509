import { join } from "node:path";
import { sourceFiles } from "./lib/sources.ts";
import { figuresOf, layerOf } from "./structure/figures.ts";
import { type Import, importsOf } from "./structure/imports.ts";

const HOUSES = ["agent", "extension", "webview"];
const root = process.argv[2] ?? join(import.meta.dirname, "..");

/** Says which import is refused, and which row of the table would have to allow it. */
function refusal({ file, target, line }: Import): string {
  const row = layerOf(file)?.at;
  const reason = row === undefined ? "no row covers this file" : `the row "${row}" does not list it`;
  return `${file}:${line} may not import ${target}. In scripts/structure/layers.ts, ${reason}.`;
}

console.log("house      folders  layers  upward imports  folder cycles  loose files");
const problems: string[] = [];
for (const house of HOUSES) {
  const files = sourceFiles(root, house);
  const figures = figuresOf(
    house,
    files,
    files.flatMap((file) => importsOf(root, file)),
  );
  const { folders, layers, upward, cycles, looseFiles } = figures;
  console.log(
    [
      house.padEnd(9),
      String(folders).padStart(8),
      String(layers).padStart(7),
      String(upward.length).padStart(15),
      String(cycles.length).padStart(14),
      String(looseFiles.length).padStart(12),
    ].join(" "),
  );
  problems.push(...upward.map(refusal), ...cycles.map((cycle) => `These import each other: ${cycle.join(", ")}.`));
}
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
