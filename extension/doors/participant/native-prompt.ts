import { partBlock } from "../../core/mentions/context-blocks.ts";
import { formatMention, type LineRange } from "../../core/mentions/mention-text.ts";
import { joinPrompt } from "../../core/mentions/prompt-blocks.ts";

/** Something that the user has attached in the native chat: a file, lines of it, or a text. */
export type NativeReference =
  | { readonly path: string; readonly lines?: LineRange }
  | { readonly text: string; readonly name: string };

/** The arguments of the prompt template behind each of the participant's commands, when the user gives none. */
const ALONE: Readonly<Record<string, string>> = {
  fix: "The problems that the editor reports for this workspace.",
  explain: "The code that is selected or open in the editor.",
  review: "",
};

/** Writes the prompt for a request of the native chat: a command calls the prompt template of its name. Empty when there is nothing to send. */
export function nativePrompt(request: {
  readonly text: string;
  readonly command?: string | undefined;
  readonly references: readonly NativeReference[];
}): string {
  const { command = "", references } = request;
  const text = request.text.trim();
  const paths = references.flatMap((one) => ("path" in one ? [formatMention({ kind: "path", ...one })] : []));
  const mentions = [...new Set(paths)].join(" ");
  const texts = references.flatMap((one) => ("text" in one ? [one] : []));
  if (Object.hasOwn(ALONE, command)) {
    const given = [text, mentions, texts.length === 0 ? "" : "What is attached."].filter((part) => part !== "");
    const args = given.length === 0 ? ALONE[command] : given.join(" ");
    const blocks = texts.map((one) => partBlock({ path: one.name, startLine: 1, text: one.text }));
    return joinPrompt(blocks, `/${command} ${args}`.trim());
  }
  const quotes = texts.map((one) => `${one.name}:\n${one.text}`);
  return [text, mentions === "" ? "" : `Meant are: ${mentions}`, ...quotes].filter((part) => part !== "").join("\n\n");
}
