import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { parseSync, type StringLiteral, Visitor } from "oxc-parser";

/** One import, type-only ones and `import()` included. */
export interface Import {
  /** The importing file, from the root of the repository, with forward slashes. */
  file: string;
  /** A path like `file`, the name of a package, or `node:`. */
  target: string;
  /** 1-based. */
  line: number;
}

/** Returns the TypeScript files under `house`, as paths from `root` with forward slashes, in order. */
export function sourceFiles(root: string, house: string): string[] {
  return readdirSync(join(root, house), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => posix.join(house, path.replaceAll("\\", "/")))
    .sort();
}

/** Returns every import of one file. Throws when the file can't be parsed. */
export function importsOf(root: string, file: string): Import[] {
  const text = readFileSync(join(root, file), "utf8");
  const { program, errors } = parseSync(file, text);
  if (errors[0] !== undefined) throw new Error(`Can't parse ${file}: ${errors[0].message}`);
  const imports: Import[] = [];
  const add = ({ value, start }: StringLiteral) =>
    imports.push({ file, target: targetOf(file, value), line: text.slice(0, start).split("\n").length });
  new Visitor({
    ImportDeclaration: ({ source }) => add(source),
    ExportAllDeclaration: ({ source }) => add(source),
    ExportNamedDeclaration: ({ source }) => source && add(source),
    TSImportType: ({ source }) => add(source),
    TSExternalModuleReference: ({ expression }) => add(expression),
    ImportExpression: ({ source }) => {
      if (source.type === "Literal" && typeof source.value === "string") add({ ...source, value: source.value });
    },
  }).visit(program);
  return imports;
}

function targetOf(file: string, specifier: string): string {
  if (specifier.startsWith("node:")) return "node:";
  if (specifier.startsWith(".")) return posix.join(posix.dirname(file), specifier);
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}
