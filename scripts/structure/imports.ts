import { posix } from "node:path";
import { type StringLiteral, Visitor } from "oxc-parser";
import { lineOf, parseSource } from "../lib/sources.ts";

/** One import, type-only ones and `import()` included. */
export interface Import {
  /** The importing file, from the root of the repository, with forward slashes. */
  file: string;
  /** A path like `file`, the name of a package, or `node:`. */
  target: string;
  /** 1-based. */
  line: number;
}

/** Returns every import of one file. Throws when the file can't be parsed. */
export function importsOf(root: string, file: string): Import[] {
  const source = parseSource(root, file);
  const imports: Import[] = [];
  const add = (specifier: StringLiteral) =>
    imports.push({ file, target: targetOf(file, specifier.value), line: lineOf(source, specifier) });
  new Visitor({
    ImportDeclaration: ({ source }) => add(source),
    ExportAllDeclaration: ({ source }) => add(source),
    ExportNamedDeclaration: ({ source }) => source && add(source),
    TSImportType: ({ source }) => add(source),
    TSExternalModuleReference: ({ expression }) => add(expression),
    ImportExpression: ({ source }) => {
      if (source.type === "Literal" && typeof source.value === "string") add({ ...source, value: source.value });
    },
  }).visit(source.program);
  return imports;
}

function targetOf(file: string, specifier: string): string {
  if (specifier.startsWith("node:")) return "node:";
  if (specifier.startsWith(".")) return posix.join(posix.dirname(file), specifier);
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}
