import { formatMention, type LineRange } from "../../core/mentions/mention-text.ts";

/** Something that the user has attached in the native chat: a file, lines of it, or a text. */
export type NativeReference =
  | { readonly path: string; readonly lines?: LineRange }
  | { readonly text: string; readonly name: string };

/** The prompts behind the participant's commands, with and without text from the user. */
const COMMANDS: Readonly<Record<string, { readonly alone: string; readonly about: string }>> = {
  fix: {
    alone: "Find out which problems the editor reports for this workspace, and fix them.",
    about: "Fix what is wrong here. Check that it works afterwards.",
  },
  explain: {
    alone: "Explain what the code does that the user has selected or open in the editor.",
    about: "Explain the following. Change nothing.",
  },
  review: {
    alone:
      "Review the changes of the working tree since the last commit. Look for mistakes, missing tests and unclear names, the gravest first. Change nothing.",
    about:
      "Review the following. Look for mistakes, missing tests and unclear names, the gravest first. Change nothing.",
  },
};

/** Writes the prompt for a request of the native chat. Empty when there is nothing to send. */
export function nativePrompt(request: {
  readonly text: string;
  readonly command?: string | undefined;
  readonly references: readonly NativeReference[];
}): string {
  const { command = "", references } = request;
  const text = request.text.trim();
  const task = Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined;
  const isAlone = text === "" && references.length === 0;
  const mentions = references.flatMap((one) => ("path" in one ? [formatMention({ kind: "path", ...one })] : []));
  const quotes = references.flatMap((one) => ("text" in one ? [`${one.name}:\n${one.text}`] : []));
  return [
    task === undefined ? "" : isAlone ? task.alone : task.about,
    text,
    mentions.length === 0 ? "" : `Meant are: ${[...new Set(mentions)].join(" ")}`,
    ...quotes,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}
