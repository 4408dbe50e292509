import { CommandCollector, type Joint, type Reading } from "./command-line.ts";

/** A comment, a quoted word, a plain word, a joint, or blanks. Nothing here is a variable, an expression, a block, or a redirection. */
const TOKEN = /#[^\n]*|'((?:[^']|'')*)'|"([^"$`]*)"|([\w./\\:=+%~*?^-]+)|(&&|\|\||[|;\n])|([ \t\r]+)/y;
/** PowerShell takes these for quotes and dashes. */
const LOOKS_LIKE_SYNTAX = /[\u2012-\u2015\u2018-\u201e\u00a0\u0085\u2028\u2029]/;
const PARTS_OF_WORDS = /['"\w./\\:=+%~*?^#-]/;

/**
 * Reads a script of PowerShell as far as it consists of commands with plain words.
 * @param hasChains true for PowerShell 7, which knows `&&` and `||`.
 */
export function readPowerShell(script: string, hasChains: boolean): Reading {
  if (LOOKS_LIKE_SYNTAX.test(script))
    return { problem: "it has characters that PowerShell takes for quotes or dashes" };
  const collector = new CommandCollector();
  for (let at = 0; at < script.length; ) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(script);
    if (match === null) return { problem: `${script.slice(at).split(/\s/, 1)[0]} is more than a plain word` };
    const [whole, single, double, plain, joint] = match;
    at += whole.length;
    const isQuoted = single !== undefined || double !== undefined;
    if (isQuoted || plain !== undefined) {
      // Where a quoted and a plain part meet, the rules differ from case to case.
      if (at < script.length && PARTS_OF_WORDS.test(script.charAt(at)))
        return { problem: `${whole} is quoted in part` };
      if (plain === "--%") return { problem: "--% ends what can be read" };
      collector.word(single?.replaceAll("''", "'") ?? double ?? plain ?? "", isQuoted);
    } else if (joint !== undefined) {
      if (joint.length === 2 && !hasChains) return { problem: `Windows PowerShell has no ${joint}` };
      if (!collector.join(toJoint(joint))) return { problem: `no command is before ${joint}` };
    }
  }
  if (!collector.finish()) return { problem: "its end is missing" };
  const isExpression = collector.commands.some(
    ({ words }) => words[0]?.isQuoted === true || /^[\d.+%-]/.test(words[0]?.text.replace(/^\.{1,2}[\\/]/, "a") ?? ""),
  );
  return isExpression ? { problem: "a part of it is an expression" } : { commands: collector.commands };
}

function toJoint(text: string): Joint {
  return text === "&&" || text === "||" || text === "|" ? text : ";";
}
