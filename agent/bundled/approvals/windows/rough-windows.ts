import type { Danger } from "../../../protocol/dialogs.ts";
import { commandDangers } from "../shell/command-dangers.ts";
import { fetchedCode } from "../shell/network-dangers.ts";
import { roughCommands } from "../shell/rough-commands.ts";
import { roughPosixWords, runsText, type WindowsShell, windowsDangers } from "./judge-windows.ts";

/** Words that stand before other commands, with words of their own between. */
const BEFORE_COMMANDS =
  /^(if|else|elseif|for|foreach|foreach-object|%|do|while|try|catch|finally|call|start|cmd|powershell|pwsh)$/i;

function dangersIn(words: readonly string[], shell: WindowsShell): Danger[] {
  for (let at = 0; at < words.length; at++) {
    const command = roughPosixWords(words.slice(at), shell);
    const found = [...commandDangers(command, (path) => path), ...windowsDangers(command)];
    if (found.length > 0 || !BEFORE_COMMANDS.test(words[0] ?? "")) return found;
  }
  return [];
}

/** Returns the dangers of a script for a shell of Windows, whether it can be read or not; paths are as they were typed. */
export function roughWindowsDangers(script: string, shell: WindowsShell): Danger[] {
  // A backslash escapes nothing in these shells.
  const rough = roughCommands(script.replaceAll("\\", "/"));
  const dangers = rough.flatMap(({ words }) => dangersIn(words, shell));
  const commands = rough.map(({ words, isPiped }) => ({
    words: roughPosixWords(words, shell),
    isPiped,
  }));
  if (!runsText(script, shell)) return [...dangers, ...fetchedCode("", commands)];
  const fetched = commands.filter(({ words }) => /^(curl|wget)$/.test(words[0] ?? ""));
  const fed = fetched.flatMap(({ words }) => [
    { words, isPiped: false },
    { words: ["sh"], isPiped: true },
  ]);
  return [...dangers, ...fetchedCode("", fed)];
}
