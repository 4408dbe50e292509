import { CommandCollector, type Joint, type Reading } from "./command-line.ts";

/** Output that is dropped, or errors that join it; a joint; blanks; or a word, which quotes may be part of. */
const TOKEN = /([12]?>[ \t]*nul\b|2>&1)|(&&|\|\||[|&\n])|([ \t\r]+)|((?:[^\s"&|<>()^%!]|"[^"%!\n]*")+)/iy;

/** Reads a script of `cmd.exe` as far as it has no variables, groups, escaped characters, or files for its output. */
export function readCmd(script: string): Reading {
  const collector = new CommandCollector();
  for (let at = 0; at < script.length; ) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(script);
    if (match === null) return { problem: `${script.slice(at).split(/\s/, 1)[0]} is more than a plain word` };
    const [whole, , joint, , word] = match;
    at += whole.length;
    if (joint !== undefined && !collector.join(toJoint(joint))) return { problem: `no command is before ${joint}` };
    if (word === undefined) continue;
    // Programs read these in different ways.
    if (/\\"|""/.test(word)) return { problem: `${word} has quotes that can't be told apart` };
    collector.word(word.replaceAll('"', ""), word.includes('"'));
  }
  if (!collector.finish()) return { problem: "its end is missing" };
  for (const { words } of collector.commands) {
    const [first] = words;
    if (first !== undefined) first.text = first.text.replace(/^@/, "");
  }
  return { commands: collector.commands };
}

function toJoint(text: string): Joint {
  return text === "&&" || text === "||" || text === "|" ? text : ";";
}
