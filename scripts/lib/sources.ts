import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { type Node, type Program, parseSync, Visitor, visitorKeys } from "oxc-parser";

/** A parsed TypeScript file. */
export interface Source {
  /** Relative to the root of the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly program: Program;
}

/** Returns the TypeScript files under `house`, as paths from `root` with forward slashes, in order. */
export function sourceFiles(root: string, house: string): string[] {
  return readdirSync(join(root, house), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => posix.join(house, path.replaceAll("\\", "/")))
    .sort();
}

/** Parses a file; parentheses are no nodes of the tree. Throws when the file can't be parsed. */
export function parseSource(root: string, path: string): Source {
  const text = readFileSync(join(root, path), "utf8");
  const { program, errors } = parseSync(path, text, { preserveParens: false });
  if (errors[0] !== undefined) throw new Error(`Can't parse ${path}: ${errors[0].message}`);
  return { path, text, program };
}

/** Calls `visit` with every node of a file, parents first. `parents` are the nodes around it, the nearest last. */
export function walk({ program }: Source, visit: (node: Node, parents: readonly Node[]) => void): void {
  const parents: Node[] = [];
  const enter = (node: Node) => {
    visit(node, parents);
    parents.push(node);
  };
  const leave = () => void parents.pop();
  const handlers = Object.keys(visitorKeys).flatMap((type) => [
    [type, enter],
    [`${type}:exit`, leave],
  ]);
  new Visitor(Object.fromEntries(handlers)).visit(program);
}

/** Returns the line that a node starts in, 1-based. */
export function lineOf({ text }: Source, { start }: Node): number {
  return text.slice(0, start).split("\n").length;
}
