import type { CallExpression, Node } from "oxc-parser";
import { lineOf, type Source, walk } from "../lib/sources.ts";
import { isLookUp, literalOf } from "./texts.ts";

/** Files whose texts go to the model, to the agent or to authors of other extensions, and stay English. */
const NOT_SHOWN = [
  // Scripts that are loaded late have no catalogue: the page words what they say.
  /^webview\/late\//,
  /^webview\/view\/markdown\/late-faults\.ts$/,
  /^webview\/protocol\//,
  /^extension\/doors\/api\//,
  /^extension\/editor\/assert-never\.ts$/,
  /^extension\/features\/composer\/context-reader\.ts$/,
  /^extension\/host\/editor-models\/lm-messages\.ts$/,
  /^extension\/host\/host-tools\//,
  /^extension\/core\/mentions\/(?:context-blocks|debug-report|mention-text|prompt-blocks)\.ts$/,
  /^extension\/doors\/offered-tools\/offered-tools\.ts$/,
  /^extension\/editor\/panel-html\.ts$/,
  /^extension\/doors\/participant\/native-prompt\.ts$/,
  /^extension\/doors\/source-control\/git-diffs\.ts$/,
  /^extension\/features\/trouble\/report/,
];

/** Literals elsewhere that only look like words for the user, with `{0}` for values. */
const ONLY_LOOKS: ReadonlySet<string> = new Set([
  // Names, the same in every language.
  ...[
    "Anthropic",
    "Google",
    "Google Vertex AI",
    "Amazon Bedrock",
    "Azure OpenAI",
    "Cerebras",
    "Fireworks",
    "Groq",
    "Mistral",
    "Together",
    "Ollama",
    "LM Studio",
    "Markdown",
    "Bearer {0}",
    "sk-ant-…",
  ],
  ...["Black", "Red", "Green", "Yellow", "Blue", "Magenta", "Cyan", "White", "Bright"],
  // Sent to the model.
  "You were interrupted. Look at what is done already, then go on where you were.",
  "Continue.",
  "Reply with OK.",
  ...[
    "the attached uncommitted changes",
    "the attached staged changes",
    "the attached changes of this branch since {0}",
  ],
  ...["Commits since {0}:\n{1}\n", "/review {0}"],
  " (your working directory)",
  "No folder is open. Ask the user to open one.",
  "The editor's window has several folders:",
  "The user and the editor write paths with the name of the folder in front, such as",
  "`{0}/src/a.ts`. Tools resolve relative paths from your working directory, so give them absolute paths for the others.",
  // Keys, of settings, of places and of what is kept.
  ...[
    "notifications.{0}",
    "statusBarItem.{0}Background",
    "tiller.{0}",
    "tiller.apiKey.{0}",
    "tiller.milestone.{0}",
    "tiller {0} {1}",
    "draft {0}",
    "proposed {0}",
    "group {0}",
  ],
  ...["PID eq {0}", "Files", "tiller..{0}", "\n{0} missing\n"],
  // In the log, and for the browser.
  ...["no JSON", "polite", "assertive"],
]);

/** Calls that show what they are given. */
const SHOWING_CALLS = new Set(["el", "prepend", "replaceChildren", "say", "setText"]);

/** Nodes that may stand between such a place and one of the texts that it may get. */
const CHOICES: ReadonlySet<Node["type"]> = new Set([
  "ArrayExpression",
  "AssignmentExpression",
  "BinaryExpression",
  "ConditionalExpression",
  "LogicalExpression",
]);

/** Parents whose literals are not shown in the window. */
const QUIET_PARENTS: ReadonlySet<Node["type"]> = new Set([
  "ExportAllDeclaration",
  "ExportNamedDeclaration",
  "ImportDeclaration",
  "SwitchCase",
  "TSLiteralType",
]);

/** Operators that compare a literal with a value. */
const COMPARISONS: ReadonlySet<string> = new Set(["===", "!==", "in"]);

/** Style sheets, selectors, addresses and drawings. */
const CODE = /^(?:var\(|data:|script, |<svg )/;

/** Calls whose texts are not shown in the window, by the last part of their names: all arguments, or the named ones. */
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

/** Names of CSS classes with values in them; at least one has a hyphen. */
const CLASSES = /^(?=.*-)[a-z][a-z-]*(?: [a-z][a-z-]*(?:\{\d\})?)*(?:\{\d\})?$/;

/** A literal that looks like words for the user and is not looked up. */
interface PlainText {
  /** `extension/chat/chat.ts:12`. */
  readonly place: string;
  /** The words, with `{0}` for what is put in between. */
  readonly text: string;
}

/** Finds literals that read like words for the user and do not go through `t`, as well as their looks tell. */
export function findPlainTexts(sources: readonly Source[]): PlainText[] {
  const found: PlainText[] = [];
  for (const source of sources.filter(({ path }) => !NOT_SHOWN.some((pattern) => pattern.test(path)))) {
    walk(source, (node, parents) => {
      const text = wordsOf(node);
      if (text === undefined || !(isShown(text, parents) || readsLikeWords(text)) || isQuiet(node, parents)) return;
      found.push({ place: `${source.path}:${lineOf(source, node)}`, text });
    });
  }
  return found;
}

/** Returns the text of a literal, with `{0}`, `{1}` … for the values of a template. */
function wordsOf(node: Node): string | undefined {
  if (node.type !== "TemplateLiteral") return literalOf(node);
  return node.quasis.map(({ value }, index) => (index === 0 ? "" : `{${index - 1}}`) + value.cooked).join("");
}

/** True for words with a blank between them, a single word with a capital letter, or a word beside a value. */
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

/** True when people read a text because of its place: a field is set to it, or an element shows it. */
function isShown(text: string, parents: readonly Node[]): boolean {
  const words = text.replace(/\{\d+\}|\$\([\w~-]+\)/g, "");
  if (!/\p{Ll}{2}/u.test(words) || text === "Tiller" || ONLY_LOOKS.has(text)) return false;
  const place = parents.findLast(({ type }) => !CHOICES.has(type));
  if (place?.type === "CallExpression") return SHOWING_CALLS.has(nameOf(place));
  return place?.type === "Property" && SHOWN_FIELDS.has(fieldOf(place));
}

function isQuiet(node: Node, parents: readonly Node[]): boolean {
  const parent = parents.at(-1);
  if (parent === undefined || QUIET_PARENTS.has(parent.type)) return true;
  if (parent.type === "MemberExpression" && parent.computed) return true;
  if (parent.type === "Property" && (parent.key === node || QUIET_FIELDS.has(fieldOf(parent)))) return true;
  if (parent.type === "BinaryExpression" && COMPARISONS.has(parent.operator)) return true;
  return parents.some((outer, index) => isQuietCall(outer, parents[index + 1] ?? node));
}

/** @param inner the part of the call that the literal is in. */
function isQuietCall(call: Node, inner: Node): boolean {
  if (isLookUp(call)) return call.arguments[0] === inner;
  if (call.type === "NewExpression")
    return call.callee.type === "Identifier" && /^(?:RegExp|Set|Map)$/.test(call.callee.name);
  if (call.type !== "CallExpression" || call.callee === inner) return false;
  const name = nameOf(call);
  const quiet = Object.hasOwn(QUIET_CALLS, name) ? QUIET_CALLS[name] : undefined;
  return quiet === "all" || (quiet?.some((index) => call.arguments[index] === inner) ?? false);
}

/** Returns the name of a field, and "" when it is computed. */
function fieldOf({ key, computed }: Extract<Node, { type: "Property" }>): string {
  if (computed) return "";
  return key.type === "Identifier" ? key.name : (literalOf(key) ?? "");
}

/** Returns the last part of the name of what is called. */
function nameOf({ callee }: CallExpression): string {
  if (callee.type === "Identifier") return callee.name;
  const isNamed = callee.type === "MemberExpression" && callee.property.type === "Identifier" && !callee.computed;
  return isNamed ? callee.property.name : "";
}
