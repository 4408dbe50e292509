import type { Danger } from "../../../protocol/dialogs.ts";
import type { ShellLanguage } from "../../../tools/shell-language.ts";
import { cmdToPosix } from "./cmd-commands.ts";
import { cmdletName, cmdletToPosix } from "./cmdlets.ts";
import type { Reading, WindowsCommand } from "./command-line.ts";
import { hasWildcard, textWord } from "./posix-words.ts";
import { readCmd } from "./read-cmd.ts";
import { readPowerShell } from "./read-powershell.ts";

/** The shells that Windows has. */
export type WindowsShell = Exclude<ShellLanguage, "posix" | "other">;

/** Programs that do the same on every system. Others may share no more than their name, such as `sort` and `find`. */
const SAME_EVERYWHERE =
  /^(git|rg|gh|jq|node|npm|npx|pnpm|yarn|bun|bunx|deno|tsc|python|python3|py|pip|pip3|uv|poetry|ruby|gem|bundle|php|composer|perl|cargo|rustc|rustup|go|gofmt|dotnet|java|javac|mvn|gradle|make|cmake|ninja|docker|kubectl|helm|terraform|curl|wget|ssh|scp|sftp|tar)$/;
/** What a pipe of PowerShell may lead to: it passes objects on, and a cmdlet that takes files would read or change each of them. */
const TAKES_TEXT = /^(head|wc|sort)$/;

/**
 * Returns a script as one for a POSIX shell that does the same, which is then judged by the same table; or why that can't be told with
 * certainty.
 */
export function toPosixScript(script: string, shell: WindowsShell): { script: string } | { problem: string } {
  const reading = read(script, shell);
  if ("problem" in reading) return reading;
  let text = "";
  let pipeline: string[] = [];
  for (const command of reading.commands) {
    if (command.joint !== "|") pipeline = [];
    const words = posixWords(command, shell);
    const [name] = words ?? [];
    if (words === undefined || name === undefined)
      return { problem: `what ${command.words[0]?.text} does is not known that well` };
    if (shell !== "cmd" && command.joint === "|" && !mayFollow(name, pipeline))
      return { problem: `${name} may get files from the pipe` };
    pipeline.push(name);
    text += `${text === "" ? "" : ` ${command.joint} `}${words.join(" ")}`;
  }
  return { script: text };
}

function read(script: string, shell: WindowsShell): Reading {
  return shell === "cmd" ? readCmd(script) : readPowerShell(script, shell === "pwsh");
}

function posixWords({ words: [first, ...rest] }: WindowsCommand, shell: WindowsShell): string[] | undefined {
  if (first === undefined) return undefined;
  const known = shell === "cmd" ? cmdToPosix(first.text, rest) : cmdletToPosix(first.text, rest);
  if (known === "program") return [programName(first.text), ...rest.map(textWord)];
  // Wildcards of Windows also stand for names that begin with a dot.
  if (known?.slice(1).some(hasWildcard) === true && !/^(rm|rmdir|ls|echo)$/.test(known[0] ?? "")) return undefined;
  return known;
}

/** Returns the name of a program; one that a program of POSIX may share by chance keeps its ending, and is nothing known then. */
function programName(typed: string): string {
  const path = typed.replaceAll("\\", "/");
  if (path.includes("/")) return textWord({ text: path, isQuoted: true });
  const name = path.replace(/\.(exe|cmd|bat|com)$/i, "").toLowerCase();
  return textWord({
    text: SAME_EVERYWHERE.test(name) ? name.replace(/^py$/, "python") : `${name}.exe`,
    isQuoted: true,
  });
}

function mayFollow(name: string, pipeline: readonly string[]): boolean {
  const isCmdlet = /^(ls|cat|pwd|echo|grep|cd|sleep|date|test|rm|cp|mv|mkdir|touch)$/.test(name);
  if (!isCmdlet || TAKES_TEXT.test(name)) return true;
  return name === "grep" && !pipeline.some((before) => /^(ls|test|pwd)$/.test(before));
}

/** Programs and cmdlets of Windows that change the system. */
const CHANGES_SYSTEM =
  /^(reg|regedit|regsvr32|sc|bcdedit|diskpart|format|chkdsk|schtasks|at|netsh|net|net1|icacls|cacls|takeown|setx|powercfg|dism|sfc|msiexec|winget|choco|scoop|shutdown|mountvol|vssadmin|wevtutil|fsutil|(stop|restart|rename|add)-computer|(new|set|start|stop|restart|remove|suspend)-service|set-executionpolicy|(format|clear|initialize|remove)-(volume|disk|partition)|(register|unregister|set|new)-scheduledtask|(enable|disable|install|uninstall|add|remove)-windows\w+|(new|set|remove|clear)-itemproperty|(new|set|remove|disable|enable)-netfirewall\w+|(set|add|remove)-mppreference|install-(module|package|script)|new-localuser|add-localgroupmember)$/;
const REACHES_MACHINE = /^(enter-pssession|new-pssession|invoke-command|mstsc|winrs|psexec)$/;
const FETCHES = /^(invoke-webrequest|invoke-restmethod|start-bitstransfer|bitsadmin|certutil)$/;
const SENDS = /^-(body|infile|form)\b|^-method$/i;

/** Returns the words of a rough command as a POSIX shell would have them, for the table of dangers. */
export function roughPosixWords(words: readonly string[], shell: WindowsShell): string[] {
  const [typed = "", ...rest] = words;
  const base = typed.replace(/^.*[\\/](?=[^\\/]+$)/, "").replace(/\.(exe|cmd|bat|com)$/i, "");
  const name = shell === "cmd" ? base.toLowerCase().replace(/^(del|erase|rd|rmdir)\/.*$/, "$1") : cmdletName(base);
  const operands = rest.filter((word) => !/^-[a-z]+$/i.test(word) && !(shell === "cmd" && word.startsWith("/")));
  if (/^(remove-item|del|erase|rd|rmdir|clear-content|clear-recyclebin|rimraf)$/.test(name)) return ["rm", ...operands];
  if (/^(runas|gsudo)$/.test(name)) return ["sudo", ...rest];
  if (name === "start-process" && rest.some((word) => /^runas$/i.test(word))) return ["sudo", ...operands];
  if (FETCHES.test(name)) {
    const isGet = !rest.some((word, at) => SENDS.test(word) && !/^get$/i.test(rest[at + 1] ?? ""));
    return ["curl", ...(isGet ? [] : ["--data"]), ...operands.filter((word) => /:\/\//.test(word))];
  }
  return [name, ...rest];
}

/** Returns the dangers of one command that the table for POSIX shells doesn't know. */
export function windowsDangers(words: readonly string[]): Danger[] {
  const [name = "", ...rest] = words;
  if (CHANGES_SYSTEM.test(name)) return [{ kind: "changes_system", object: name }];
  if (!REACHES_MACHINE.test(name)) return [];
  const computer = rest.findIndex((word) => /^-(computername|hostname)$/i.test(word));
  const object = computer === -1 ? undefined : rest[computer + 1];
  return name === "invoke-command" && object === undefined
    ? []
    : [{ kind: "reaches_machine", ...(object === undefined ? {} : { object }) }];
}

/** True when a script runs text as code, whatever it gets that from. */
export function runsText(script: string, shell: WindowsShell): boolean {
  return shell !== "cmd" && /(^|[\s;|&({])(iex|invoke-expression)\b|\[scriptblock\]::create/i.test(script);
}
