import type { ExtensionUi } from "../../../extensions/author.ts";
import { suggestedValues } from "./completions.ts";
import type { OfferingServer } from "./offer-book.ts";
import type { McpPrompt, PromptArgument } from "./read-offers.ts";

const MAX_SUGGESTIONS = 50;
const OTHER = "Enter another value…";

/** The values of a prompt's arguments, by name. */
export type ArgumentValues = Record<string, string>;

/** Returns the syntax of a prompt's arguments: `<required> [optional]`. */
export function argumentHint(args: readonly PromptArgument[]): string {
  return args.map(({ name, required }) => (required === true ? `<${name}>` : `[${name}]`)).join(" ");
}

/**
 * Parses the text after a prompt's name: values in the order of the arguments, in quotes if they contain spaces, or `name=value`. The last argument
 * takes the rest.
 */
export function readArguments(text: string, args: readonly PromptArgument[]): ArgumentValues {
  const words = text.match(/(?:[^\s"]|"(?:[^"\\]|\\.)*")+|"/g) ?? [];
  const values: ArgumentValues = {};
  const inOrder: string[] = [];
  for (const word of words) {
    const [, name = "", value = ""] = /^([^="]+)=([\s\S]*)$/.exec(word) ?? [];
    if (args.some((one) => one.name === name)) values[name] = unquoted(value);
    else inOrder.push(unquoted(word));
  }
  const open = args.filter(({ name }) => values[name] === undefined);
  for (const [index, { name }] of open.entries()) {
    const isLast = index === open.length - 1;
    const value = isLast ? inOrder.slice(index).join(" ") : inOrder[index];
    if (value) values[name] = value;
  }
  return values;
}

function unquoted(word: string): string {
  return word.replace(/"((?:[^"\\]|\\.)*)"/g, (_, inner: string) => inner.replace(/\\(.)/g, "$1"));
}

/** A question for the value of a prompt's argument. */
interface MissingArgument {
  server: OfferingServer;
  prompt: McpPrompt;
  argument: PromptArgument;
  ui: ExtensionUi;
}

/**
 * Asks the user for an argument; the server may suggest values.
 * @returns undefined if the user closes the dialog or enters nothing.
 */
export async function askForArgument(
  { server, prompt, argument, ui }: MissingArgument,
  signal: AbortSignal,
): Promise<string | undefined> {
  const about = argument.description === undefined ? argument.name : `${argument.name} (${argument.description})`;
  const title = `${server.name}, ${prompt.title || prompt.name}: ${about}`;
  const place = {
    ref: { type: "ref/prompt" as const, name: prompt.name },
    argument: { name: argument.name, value: "" },
  };
  const suggestions = (await suggestedValues(server, place, signal)).slice(0, MAX_SUGGESTIONS);
  if (suggestions.length > 0) {
    const answer = await ui.select(title, [...suggestions, OTHER], { signal });
    if (answer !== OTHER) return answer || undefined;
  }
  return (await ui.input(title, undefined, { signal })) || undefined;
}
