/** The languages of shells. `other` is taken for one that has `-c`, and nothing else is known of it. */
export type ShellLanguage = "posix" | "pwsh" | "powershell" | "cmd" | "other";

/** Shells with the grammar of POSIX: they know `exec 2>&1`. */
const POSIX_SHELL = /^(ba|da|a|z|k|mk)?sh$/i;
/** The longest command line of `cmd.exe`, in characters. */
const MAX_CMD_LENGTH = 8191;
/** The longest command line of Windows, less what the path of a shell and its options take. */
const MAX_COMMAND_LINE = 32_000;

/** Returns the name of a shell, without folders and the ending of a program. */
export function shellName(path: string): string {
  return path.replace(/^.*[\\/]/s, "").replace(/\.exe$/i, "");
}

/** Returns the language of the shell at a path. */
export function shellLanguage(path: string): ShellLanguage {
  const name = shellName(path).toLowerCase();
  if (name === "pwsh" || name === "powershell" || name === "cmd") return name;
  return POSIX_SHELL.test(name) ? "posix" : "other";
}

/** True for the path of a shell with the grammar of POSIX. */
export function isPosixShell(path: string): boolean {
  return shellLanguage(path) === "posix";
}

/** How a shell is started so that it runs a script. */
export interface ShellCall {
  file: string;
  args: string[];
  /** True when the arguments are quoted already. */
  windowsVerbatimArguments?: boolean;
}

/**
 * Returns how to run a script, with UTF-8 for what it prints and the exit code of its last command.
 * @throws Error when the script is too long for the shell.
 */
export function shellCall(file: string, script: string): ShellCall {
  switch (shellLanguage(file)) {
    case "pwsh":
    case "powershell":
      return { file, args: powerShellArguments(script) };
    case "cmd":
      // With /s, exactly the first and the last quote are taken off.
      return { file, args: ["/d", "/s", "/c", `"${cmdLine(script)}"`], windowsVerbatimArguments: true };
    case "posix":
    case "other":
      return { file, args: ["-c", script] };
  }
}

/** On the first line, so that the numbers of lines in messages are right. */
const POWERSHELL_START =
  "[Console]::OutputEncoding = $OutputEncoding = [Text.UTF8Encoding]::new($false); $ProgressPreference = 'SilentlyContinue'; ";
/** Otherwise the code would be 1 for every program that fails. */
const POWERSHELL_END = "\nif ($?) { exit 0 } elseif ($LASTEXITCODE) { exit $LASTEXITCODE } else { exit 1 }";

/** The script is handed over encoded, which no quotes can break; its errors come as text, and not as XML. */
function powerShellArguments(script: string): string[] {
  const encoded = Buffer.from(`${POWERSHELL_START}${script}${POWERSHELL_END}`, "utf16le").toString("base64");
  requireLength(encoded.length, MAX_COMMAND_LINE, "PowerShell");
  return [
    "-NoLogo",
    "-NoProfile",
    "-NonInteractive",
    ...(process.platform === "win32" ? ["-ExecutionPolicy", "Bypass"] : []),
    ...["-OutputFormat", "Text", "-EncodedCommand", encoded],
  ];
}

/** `cmd.exe` reads one line: further lines become commands behind `&`, except where a line goes on or a group opens or closes. */
function cmdLine(script: string): string {
  const lines = script
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !/^@?(rem\b|::)/i.test(line));
  const [first = "", ...rest] = lines;
  const joined = rest.reduce((text, line) => {
    if (text.endsWith("^")) return text.slice(0, -1) + line;
    const isInside = text.endsWith("(") || line.startsWith(")");
    return `${text}${isInside ? " " : "&"}${line}`;
  }, first);
  const whole = `chcp 65001>nul&${joined}`; // a blank before the & would be part of what echo prints
  requireLength(whole.length, MAX_CMD_LENGTH, "cmd.exe");
  return whole;
}

function requireLength(length: number, max: number, shell: string): void {
  if (length <= max) return;
  throw new Error(`The command is too long for ${shell}. Write it to a file, and run that.`);
}

const POWERSHELL_BACKGROUND = "Start-Process -NoNewWindow";
const POWERSHELL_HINT =
  "Quote with '…'; \"…\" expands $; separate arguments of programs with blanks. Variables of the environment are $env:NAME. Use cmdlets or programs that Windows has: there is no grep, sed, head or export.";

/** What the model has to know to write for a shell that isn't like bash. */
interface ShellHint {
  /** The name of its language. */
  name: string;
  /** How it differs from bash. */
  hint: string;
  /** How a program starts in the background, to complete "start a server in the background with". */
  background: string;
}

/** Returns what the model has to know to write for the shell at a path; undefined for bash and its like. */
export function shellHint(path: string | undefined): ShellHint | undefined {
  switch (path === undefined ? "posix" : shellLanguage(path)) {
    case "pwsh":
      return { name: "PowerShell 7", hint: POWERSHELL_HINT, background: POWERSHELL_BACKGROUND };
    case "powershell":
      return {
        name: "Windows PowerShell 5.1",
        hint: `${POWERSHELL_HINT} It has no && and ||: write "a; if ($?) { b }". Give -Encoding utf8 where you write files.`,
        background: POWERSHELL_BACKGROUND,
      };
    case "cmd":
      return {
        name: "cmd.exe",
        hint: 'Quote with "…" only. Variables are %NAME%. Each line runs whether the one before failed or not: join with && where that matters. In a for loop write %i. There is no grep, sed, cat or ls.',
        background: "start /b",
      };
    case "posix":
    case "other":
      return undefined;
  }
}
