/** How a shell is started so that it runs one command and ends. */
export interface ShellCall {
  readonly file: string;
  readonly args: readonly string[];
  /** Whether the arguments are a Windows command line as it stands. */
  readonly isVerbatim: boolean;
}

/** PowerShell ends with 1 for every program that fails, unless it is told to end with the program's own code. */
const POWERSHELL_END = "\nif ($?) { exit 0 } elseif ($LASTEXITCODE) { exit $LASTEXITCODE } else { exit 1 }";

/** How a shell is told a command. @param shell the path of its program. */
export function shellCall(shell: string, command: string): ShellCall {
  const kind = (shell.split(/[\\/]/).at(-1) ?? "").toLowerCase().replace(/\.exe$/, "");
  if (kind === "cmd") {
    // It reads one line, and takes it as it is between the outer quotes.
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
