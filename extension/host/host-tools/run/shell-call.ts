/** The call that makes a shell run one command and exit. */
export interface ShellCall {
  readonly file: string;
  readonly args: readonly string[];
  /** True when the arguments are a verbatim Windows command line. */
  readonly isVerbatim: boolean;
}

/** Makes PowerShell exit with the program's own code, where it would exit with 1 for every failure. */
const POWERSHELL_END = "\nif ($?) { exit 0 } elseif ($LASTEXITCODE) { exit $LASTEXITCODE } else { exit 1 }";

/** Returns the call that passes a command to a shell. @param shell the path of its executable. */
export function shellCall(shell: string, command: string): ShellCall {
  const kind = (shell.split(/[\\/]/).at(-1) ?? "").toLowerCase().replace(/\.exe$/, "");
  if (kind === "cmd") {
    // cmd reads one line, and takes the text between the outer quotes verbatim.
    const line = command
      .split(/\r?\n/)
      .filter((part) => part.trim() !== "")
      .join(" & ");
    return { file: shell, args: ["/d", "/s", "/c", `"${line}"`], isVerbatim: true };
  }
  if (kind === "pwsh" || kind === "powershell") {
    return { file: shell, args: ["-NoLogo", "-Command", `${command}${POWERSHELL_END}`], isVerbatim: false };
  }
  return { file: shell, args: ["-c", command], isVerbatim: false };
}
