import { join } from "node:path";
import type { CallExpression, Node } from "oxc-parser";
import { lineOf, parseSource, type Source, sourceFiles, walk } from "../lib/sources.ts";

const ROOT = join(import.meta.dirname, "../..");
/** The houses whose files show texts. */
const HOUSES = ["extension", "webview"];

/** Functions, methods and constructors: they run later than the module that contains them. */
const FUNCTIONS: ReadonlySet<Node["type"]> = new Set([
  "ArrowFunctionExpression",
  "FunctionDeclaration",
  "FunctionExpression",
]);

/** The texts of the calls of `t`. */
export interface Texts {
  /** Every text once, sorted. */
  readonly texts: readonly string[];
  /** Faults of calls, one sentence each, with the place. */
  readonly faults: readonly string[];
}

/** Returns the parsed files of extension and page. */
export function readSources(): Source[] {
  return HOUSES.flatMap((house) => sourceFiles(ROOT, house)).map((path) => parseSource(ROOT, path));
}

/** Collects the texts of all calls of `t`, and says which calls cannot be looked up. */
export function collectTexts(sources: readonly Source[]): Texts {
  const texts = new Set<string>();
  const faults: string[] = [];
  for (const source of sources) {
    const isEarly = !knowsLanguage(source);
    walk(source, (node, parents) => {
      if (!isLookUp(node)) return;
      const place = `${source.path}:${lineOf(source, node)}`;
      const text = literalOf(node.arguments[0]);
      if (text === undefined) {
        faults.push(`${place}: t() wants its text written out as one literal.`);
        return;
      }
      texts.add(text);
      const given = node.arguments.length - 1;
      const wanted = placeholders(text).size;
      if (given !== wanted) faults.push(`${place}: ${wanted} places for values, but ${given} values.`);
      if (isEarly && !parents.some(({ type }) => FUNCTIONS.has(type)))
        faults.push(`${place}: t() runs before the language is known.`);
    });
  }
  return { texts: [...texts].sort(), faults };
}

/** True when the language is known before the module itself runs: pages load it before everything else. */
function knowsLanguage({ program }: Source): boolean {
  return program.body.some(
    (statement) =>
      statement.type === "ImportDeclaration" &&
      statement.specifiers.length === 0 &&
      statement.source.value.endsWith("/language.ts"),
  );
}

/** True when a node is a call of `t`. */
export function isLookUp(node: Node): node is CallExpression & { callee: { name: "t" } } {
  return node.type === "CallExpression" && node.callee.type === "Identifier" && node.callee.name === "t";
}

/** Returns the text of a string, or of a template without values. */
export function literalOf(node: Node | undefined): string | undefined {
  if (node?.type === "Literal" && typeof node.value === "string") return node.value;
  if (node?.type === "TemplateLiteral" && node.expressions.length === 0)
    return node.quasis[0]?.value.cooked ?? undefined;
  return undefined;
}

/** Returns the places for values in a text: `{0}`, `{1}` … */
export function placeholders(text: string): ReadonlySet<string> {
  return new Set(text.match(/\{\d+\}/g));
}
