import {
  type CallExpression,
  isBinaryExpression,
  isCallExpression,
  isIdentifier,
  isNewExpression,
  isNoSubstitutionTemplateLiteral,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isStringLiteral,
  isTemplateExpression,
  type Node,
  SyntaxKind,
} from "typescript/unstable/ast";
import { placeOf, type Source, walk } from "./sources.ts";
import { isLookUp } from "./texts.ts";

/** What is in these files goes to the model, to the agent or to authors of other extensions, and stays English. */
const NOT_SHOWN = [
  // Scripts that are loaded late have no catalogue: the page words what they say.
  /^webview\/late\//,
  /^webview\/view\/late-faults\.ts$/,
  /^webview\/protocol\//,
  /^extension\/doors\/api\//,
  /^extension\/editor\/assert-never\.ts$/,
  /^extension\/features\/composer\/context-reader\.ts$/,
  /^extension\/doors\/context-menus\/terminal-text\.ts$/,
  /^extension\/host\/editor-models\/lm-messages\.ts$/,
  /^extension\/host\/host-tools\//,
  /^extension\/core\/mentions\/(?:context-blocks|debug-report|mention-text|prompt-blocks)\.ts$/,
  /^extension\/doors\/offered-tools\/offered-tools\.ts$/,
  /^extension\/editor\/panel-html\.ts$/,
  /^extension\/doors\/participant\/native-prompt\.ts$/,
  /^extension\/features\/trouble\/report/,
];

/** Literals elsewhere that only look like words for the user, with `{0}` for values. */
const ONLY_LOOKS: ReadonlySet<string> = new Set([
  // Names, the same in every language.
  ...["Anthropic", "Google", "Groq", "Mistral", "Markdown", "Bearer {0}", "sk-ant-…"],
  ...["Black", "Red", "Green", "Yellow", "Blue", "Magenta", "Cyan", "White", "Bright"],
  // Sent to the model.
  "You were interrupted. Look at what is done already, then go on where you were.",
  "Continue.",
  " (your working directory)",
  "No folder is open. Ask the user to open one.",
  "The editor's window has several folders:",
  "The user and the editor write paths with the name of the folder in front, such as",
  "`{0}/src/a.ts`. Tools resolve relative paths from your working directory, so give them absolute paths for the others.",
  // Keys, of settings, of places and of what is kept.
  ...["notifications.{0}", "statusBarItem.{0}Background", "tiller.{0}", "tiller.apiKey.{0}", "draft {0}", "group {0}"],
  ...["PID eq {0}", "Files", "tiller..{0}", "\n{0} missing\n"],
  // In the log, and for the browser.
  ...["no JSON", "polite", "assertive"],
]);

/** Calls that show what they are given. */
const SHOWING_CALLS = new Set(["el", "prepend", "replaceChildren", "say", "setText"]);

/** What may stand between such a place and one of the texts that it may get. */
const CHOICES: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.ArrayLiteralExpression,
  SyntaxKind.BinaryExpression,
  SyntaxKind.ConditionalExpression,
  SyntaxKind.ParenthesizedExpression,
]);

/** Style sheets, selectors, addresses and drawings. */
const CODE = /^(?:var\(|data:|script, |<svg )/;

/** Calls whose texts nobody reads in the window, by the last part of their names: all of them, or the arguments that are named. */
const QUIET_CALLS: Readonly<Record<string, readonly number[] | "all">> = {
  debug: "all",
  error: "all",
  info: "all",
  trace: "all",
  warn: "all",
  addEventListener: "all",
  bind: "all",
  closest: "all",
  command: [0],
  createElement: "all",
  describe: "all",
  el: [0, 1],
  enum: "all",
  executeCommand: "all",
  getAttribute: "all",
  icon: "all",
  literal: "all",
  matches: "all",
  querySelector: "all",
  querySelectorAll: "all",
  setProperty: "all",
  split: "all",
};

/** Fields and variables that hold no words, whatever is in them. */
const QUIET_FIELDS = new Set(["className", "code", "role", "type", "kind", "icon", "command", "when", "key"]);

/** Fields that people read: any letters in them are words. */
const SHOWN_FIELDS = new Set([
  "aria-label",
  "aria-description",
  "description",
  "detail",
  "hint",
  "label",
  "placeHolder",
  "placeholder",
  "prompt",
  "title",
  "tooltip",
]);

/** Names of CSS classes, one of which has a hyphen, with values in them. */
const CLASSES = /^(?=.*-)[a-z][a-z-]*(?: [a-z][a-z-]*(?:\{\d\})?)*(?:\{\d\})?$/;

/** A literal that looks like words for the user and is not looked up. */
export interface PlainText {
  readonly source: Source;
  readonly node: Node;
  readonly place: string;
  /** The words, with `{0}` for what is put in between. */
  readonly text: string;
}

/** Finds literals that read like words for the user and do not go through `t`, as well as their looks tell. */
export function findPlainTexts(sources: readonly Source[]): PlainText[] {
  const found: PlainText[] = [];
  for (const source of sources.filter(({ path }) => !NOT_SHOWN.some((pattern) => pattern.test(path)))) {
    walk(source.tree, (node, parents) => {
      const text = wordsOf(node);
      if (text === undefined || !(isShown(text, parents) || readsLikeWords(text)) || isQuiet(node, parents)) return;
      found.push({ source, node, place: placeOf(source, node), text });
    });
  }
  return found;
}

/** The text of a literal, with `{0}`, `{1}` … for what a template puts in. */
export function wordsOf(node: Node): string | undefined {
  if (isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (!isTemplateExpression(node)) return undefined;
  return node.templateSpans.reduce((words, span, index) => `${words}{${index}}${span.literal.text}`, node.head.text);
}

/** Words with a blank between them, a single word with a capital letter, or a word beside a value. */
function readsLikeWords(text: string): boolean {
  if (text.trim() === "Tiller" || ONLY_LOOKS.has(text) || CLASSES.test(text) || CODE.test(text)) return false;
  const own = text.replace(/\{\d+\}/g, "\u0000");
  return (
    /\p{L}{2,}[\p{L}'’]*[,.:;!?…)]* +[("'“‘]?\p{L}/u.test(own) ||
    /^[A-Z][a-z]+(?:…|\.|:|, )?$/.test(own.trim()) ||
    (own.includes("\u0000") && /(?:^|\s)\p{L}+(?:[\s.:,…]|$)/u.test(own)) ||
    (own.includes("\u0000") && /\p{L}{2,}[.:,…]?\s/u.test(own))
  );
}

/** Whether a text is what people read by its place: what a field is set to, or what an element shows. */
function isShown(text: string, parents: readonly Node[]): boolean {
  const words = text.replace(/\{\d+\}|\$\([\w~-]+\)/g, "");
  if (!/\p{Ll}{2}/u.test(words) || text === "Tiller" || ONLY_LOOKS.has(text)) return false;
  const place = parents.findLast(({ kind }) => !CHOICES.has(kind));
  if (place === undefined) return false;
  if (isCallExpression(place)) return SHOWING_CALLS.has(nameOf(place));
  if (!isPropertyAssignment(place)) return false;
  const { name } = place;
  return (isIdentifier(name) || isStringLiteral(name)) && SHOWN_FIELDS.has(name.text);
}

function isQuiet(node: Node, parents: readonly Node[]): boolean {
  const parent = parents.at(-1);
  if (parent === undefined) return true;
  switch (parent.kind) {
    case SyntaxKind.ImportDeclaration:
    case SyntaxKind.ExportDeclaration:
    case SyntaxKind.LiteralType:
    case SyntaxKind.ElementAccessExpression:
    case SyntaxKind.CaseClause:
      return true;
  }
  if (isPropertyAssignment(parent)) {
    if (parent.name === node) return true;
    if (isIdentifier(parent.name) && QUIET_FIELDS.has(parent.name.text)) return true;
  }
  if (isBinaryExpression(parent) && isComparison(parent.operatorToken.kind)) return true;
  return parents.some((outer, index) => isQuietCall(outer, parents[index + 1] ?? node));
}

function isComparison(kind: SyntaxKind): boolean {
  return (
    kind === SyntaxKind.EqualsEqualsEqualsToken ||
    kind === SyntaxKind.ExclamationEqualsEqualsToken ||
    kind === SyntaxKind.InKeyword
  );
}

/** @param inner the part of the call that the literal is in. */
function isQuietCall(call: Node, inner: Node): boolean {
  if (isLookUp(call)) return call.arguments[0] === inner;
  if (isNewExpression(call)) return isIdentifier(call.expression) && /^(?:RegExp|Set|Map)$/.test(call.expression.text);
  if (!isCallExpression(call)) return false;
  const name = nameOf(call);
  const quiet = Object.hasOwn(QUIET_CALLS, name) ? QUIET_CALLS[name] : undefined;
  if (quiet === undefined || inner === call.expression) return false;
  return quiet === "all" || quiet.some((index) => call.arguments[index] === inner);
}

/** The last part of the name of what is called. */
function nameOf({ expression }: CallExpression): string {
  if (isIdentifier(expression)) return expression.text;
  return isPropertyAccessExpression(expression) && isIdentifier(expression.name) ? expression.name.text : "";
}
