import type { Danger } from "../../../protocol/dialogs.ts";
import { commandDangers } from "./command-dangers.ts";
import { roughCommands } from "./rough-commands.ts";

/** Words of the shell that stand before a command. */
const RESERVED = /^(if|then|elif|else|while|until|do|!|time|coproc)$/;

/** Returns the dangers of a script that can't be read; paths are as they were typed. */
export function roughDangers(script: string): Danger[] {
  return roughCommands(script).flatMap(({ words }) => {
    const start = words.findIndex((word) => !RESERVED.test(word));
    return start === -1 ? [] : commandDangers(words.slice(start), (path) => path);
  });
}
