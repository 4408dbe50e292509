/** A command of a script as far as its words can be told apart without the shell's grammar. */
export interface RoughCommand {
  words: readonly string[];
  /** True when it reads the output of the command before it. */
  isPiped: boolean;
}

const MAX_LENGTH = 100_000;
const MAX_DEPTH = 4;
const MAX_COMMANDS = 1000;
/** A quoted text, an escaped character, a comment, a separator, blanks, or a piece of a word. */
const TOKEN =
  /'([^']*)'?|"((?:[^"\\]|\\[\s\S])*)"?|\\([\s\S]?)|(?<=^|[\s;&|(){}])#[^\n]*|(\|[|&]?|&&?|;|\n|\$?\(|[<>]\(|[){}`])|([^\S\n]+)|([^\s'"\\|&;(){}`<>$]+|[$<>])/g;

/**
 * Splits a script at everything that may begin another command, also within double quotes and the code of `sh -c`. It may find more commands
 * than run. The cost is linear in the length, which is limited.
 */
export function roughCommands(script: string): RoughCommand[] {
  let found: RoughCommand[] = [];
  let codes = [script.slice(0, MAX_LENGTH)];
  for (let depth = 0; depth < MAX_DEPTH && codes.length > 0; depth++) {
    const read = codes.map(split);
    const commands = read.flatMap((one) => one.commands);
    found = [...found, ...commands].slice(0, MAX_COMMANDS);
    codes = [...read.flatMap(({ quoted }) => quoted), ...commands.flatMap(({ words }) => codeOf(words))];
  }
  return found;
}

/** @returns the commands of one script, and the texts in double quotes that run commands of their own. */
function split(script: string): { commands: RoughCommand[]; quoted: string[] } {
  const commands: RoughCommand[] = [];
  const quoted: string[] = [];
  let words: string[] = [];
  let word: string | undefined;
  let isPiped = false;
  const endWord = () => {
    if (word !== undefined) words.push(word);
    word = undefined;
  };
  const endCommand = () => {
    endWord();
    if (words.length > 0) commands.push({ words, isPiped });
    words = [];
  };
  for (const [whole, single, double, escaped, separator, blanks, text] of script.matchAll(TOKEN)) {
    if (separator !== undefined) {
      endCommand();
      isPiped = /^\|&?$/.test(separator);
    } else if (blanks !== undefined) endWord();
    else if (!whole.startsWith("#") || text !== undefined) {
      const code = /(?:\$\(|`)([\s\S]*)/.exec(double ?? "")?.[1];
      if (code !== undefined) quoted.push(code);
      word = (word ?? "") + (single ?? double ?? escaped ?? text ?? "");
    }
  }
  endCommand();
  return { commands, quoted };
}

/** Returns the code that a shell is given as an argument. */
function codeOf(words: readonly string[]): string[] {
  const shell = words.findIndex((word) => /^(.*\/)?(ba|da|z|k|fi)?sh$/.test(word));
  const option = words.findIndex((word, at) => at > shell && /^-[a-z]*c$/.test(word));
  const code = words[option + 1];
  if (shell !== -1 && option !== -1 && code !== undefined) return [code];
  return words[0] === "eval" ? [words.slice(1).join(" ")] : [];
}
