import { describe, expect, it } from "vitest";
import { bashToolOver } from "../../agent/tools/bash.ts";
import { sessionShell } from "../../agent/tools/find-shell.ts";
import { runShell } from "../../agent/tools/shell.ts";
import { shellCall, shellHint, shellLanguage, shellName } from "../../agent/tools/shell-language.ts";

const BASH = "C:\\Program Files\\Git\\bin\\bash.exe";
const PWSH = "C:\\Program Files\\PowerShell\\7\\pwsh.exe";
const POWERSHELL = "C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe";
const CMD = "C:\\Windows\\System32\\cmd.exe";

const ENV = {
  ProgramFiles: "C:\\Program Files",
  "ProgramFiles(x86)": "C:\\Program Files (x86)",
  LocalAppData: "C:\\Users\\Jürgen Groß\\AppData\\Local",
  SystemRoot: "C:\\Windows",
  ComSpec: CMD,
  Path: '.;bin;;C:\\Windows\\System32;"D:\\my tools";C:\\Users\\Jürgen Groß\\AppData\\Local\\Microsoft\\WindowsApps',
};

/** The shell of a session on Windows where only these files are. */
function found(files: readonly string[], configured?: string): string | undefined {
  return sessionShell(configured, ENV, { platform: "win32", isFile: (path) => files.includes(path) });
}

describe("the shell of a session on Windows", () => {
  it("is the first of Git Bash, PowerShell 7, Windows PowerShell and cmd.exe", () => {
    expect(found([CMD, POWERSHELL, PWSH, BASH])).toBe(BASH);
    expect(found([CMD, POWERSHELL, PWSH])).toBe(PWSH);
    expect(found([CMD, POWERSHELL])).toBe(POWERSHELL);
    expect(found([CMD])).toBe(CMD);
    expect(found([])).toBeUndefined();
  });

  it("is found in the user's own programs and on the PATH, which may have quotes", () => {
    const own = "C:\\Users\\Jürgen Groß\\AppData\\Local\\Programs\\Git\\bin\\bash.exe";
    expect(found([CMD, own])).toBe(own);
    expect(found([CMD, "D:\\my tools\\bash.exe"])).toBe("D:\\my tools\\bash.exe");
    expect(found([CMD, "D:\\my tools\\pwsh.exe"])).toBe("D:\\my tools\\pwsh.exe");
  });

  it("is no bash of another system, and none of the working directory", () => {
    const others = ["C:\\Windows\\System32\\bash.exe", ".\\bash.exe", "bin\\bash.exe", "bash.exe"];
    const alias = "C:\\Users\\Jürgen Groß\\AppData\\Local\\Microsoft\\WindowsApps\\bash.exe";
    expect(found([...others, alias, CMD])).toBe(CMD);
  });

  it("is the one of the settings, and elsewhere bash, which is looked for when a command runs", () => {
    expect(found([BASH], "D:\\nu.exe")).toBe("D:\\nu.exe");
    expect(sessionShell(undefined, ENV, { platform: "linux", isFile: () => true })).toBeUndefined();
  });
});

describe("a shell", () => {
  it("is known by its name, however its path is written", () => {
    const paths = [BASH, "/bin/dash", "C:/tools/PWSH.EXE", POWERSHELL, CMD, "/usr/bin/fish"];
    expect(paths.map(shellLanguage)).toEqual(["posix", "posix", "pwsh", "powershell", "cmd", "other"]);
    expect([BASH, POWERSHELL, "/bin/zsh"].map(shellName)).toEqual(["bash", "powershell", "zsh"]);
  });

  it("gets a script for PowerShell encoded, with UTF-8 and the exit code of the last command", () => {
    const script = "Write-Output \"a 'b' $x\" `\n  Größe; git commit -m 'x ; y'";
    const { file, args } = shellCall(POWERSHELL, script);
    const encoded = args.at(-1) ?? "";
    const sent = Buffer.from(encoded, "base64").toString("utf16le");
    expect(file).toBe(POWERSHELL);
    expect(args.slice(-4, -1)).toEqual(["-OutputFormat", "Text", "-EncodedCommand"]);
    expect(args).toEqual(expect.arrayContaining(["-NoProfile", "-NonInteractive"]));
    expect(sent.split("\n")).toEqual([
      expect.stringMatching(
        /^\[Console\]::OutputEncoding = \$OutputEncoding = \[Text\.UTF8Encoding\]::new\(\$false\); .*; Write-Output "a 'b' \$x" `$/,
      ),
      "  Größe; git commit -m 'x ; y'",
      "if ($?) { exit 0 } elseif ($LASTEXITCODE) { exit $LASTEXITCODE } else { exit 1 }",
    ]);
  });

  it("gets a script for cmd.exe as one line, whose quotes stay as they are", () => {
    const { args, windowsVerbatimArguments } = shellCall(
      CMD,
      'echo "a b"\r\n\r\nrem nothing\nif exist x (\n  del x\n)\ndir ^\n /b',
    );
    expect(windowsVerbatimArguments).toBe(true);
    expect(args).toEqual(["/d", "/s", "/c", '"chcp 65001>nul&echo "a b"&if exist x ( del x )&dir /b"']);
  });

  it("refuses a script that is too long for it, and says what to do", () => {
    const help = "Write it to a file, and run that.";
    expect(() => shellCall(CMD, `echo ${"x".repeat(9000)}`)).toThrow(`The command is too long for cmd.exe. ${help}`);
    expect(() => shellCall(PWSH, `echo ${"x".repeat(20_000)}`)).toThrow(
      `The command is too long for PowerShell. ${help}`,
    );
  });
});

describe("the model", () => {
  it("is told which shell it writes for, and how", () => {
    const described = (path?: string) => bashToolOver(runShell, path).description;
    expect(described()).toMatch(/^Runs a bash command .* 2 minutes\.$/);
    expect(described(BASH)).toBe(described());
    expect(described(PWSH)).toMatch(/^Runs a PowerShell 7 command .*\$env:NAME/);
    expect(described(POWERSHELL)).toMatch(/^Runs a Windows PowerShell 5\.1 command .*no && and \|\|/);
    expect(described(CMD)).toMatch(/^Runs a cmd\.exe command .*%NAME%/);
    expect(shellHint("/bin/zsh")).toBeUndefined();
  });
});
