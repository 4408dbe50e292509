import {
  type CallExpression,
  isCallExpression,
  isIdentifier,
  isImportDeclaration,
  isNoSubstitutionTemplateLiteral,
  isStringLiteral,
  type Node,
  SyntaxKind,
} from "typescript/unstable/ast";
import { placeOf, type Source, walk } from "./sources.ts";

/** What runs later than the module that it stands in. */
const FUNCTIONS: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.ArrowFunction,
  SyntaxKind.Constructor,
  SyntaxKind.FunctionDeclaration,
  SyntaxKind.FunctionExpression,
  SyntaxKind.GetAccessor,
  SyntaxKind.MethodDeclaration,
  SyntaxKind.SetAccessor,
]);

/** What the calls of `t` say. */
export interface Texts {
  /** Every text once, sorted. */
  readonly texts: readonly string[];
  /** What is wrong with calls, one sentence each, with the place. */
  readonly faults: readonly string[];
}

/** Collects the texts of all calls of `t`, and says which calls cannot be looked up. */
export function collectTexts(sources: readonly Source[]): Texts {
  const texts = new Set<string>();
  const faults: string[] = [];
  for (const source of sources) {
    const isEarly = !knowsLanguage(source);
    walk(source.tree, (node, parents) => {
      if (!isLookUp(node)) return;
      const place = placeOf(source, node);
      const [text] = node.arguments;
      if (text === undefined || !(isStringLiteral(text) || isNoSubstitutionTemplateLiteral(text))) {
        faults.push(`${place}: t() wants its text written out as one literal.`);
        return;
      }
      texts.add(text.text);
      const given = node.arguments.length - 1;
      const wanted = placeholders(text.text).size;
      if (given !== wanted) faults.push(`${place}: ${wanted} places for values, but ${given} values.`);
      if (isEarly && !parents.some(({ kind }) => FUNCTIONS.has(kind)))
        faults.push(`${place}: t() runs before the language is known.`);
    });
  }
  return { texts: [...texts].sort(), faults };
}

/** Whether the language is known when the module itself runs: pages take it in before everything else. */
function knowsLanguage({ tree }: Source): boolean {
  return tree.statements.some(
    (statement) =>
      isImportDeclaration(statement) &&
      statement.importClause === undefined &&
      isStringLiteral(statement.moduleSpecifier) &&
      statement.moduleSpecifier.text.endsWith("/language.ts"),
  );
}

/** Whether a node is a call of `t`. */
export function isLookUp(node: Node): node is CallExpression {
  return isCallExpression(node) && isIdentifier(node.expression) && node.expression.text === "t";
}

/** The places for values in a text: `{0}`, `{1}` … */
export function placeholders(text: string): ReadonlySet<string> {
  return new Set(text.match(/\{\d+\}/g));
}
