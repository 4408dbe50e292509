import { expect, test } from "vitest";
import { shellCall } from "../../../../../extension/host/host-tools/run/shell-call.ts";

test("POSIX shells get a command with -c", () => {
  for (const shell of ["/bin/sh", "/usr/bin/zsh", "/opt/fish", "C:\\Git\\bin\\bash.exe"]) {
    expect(shellCall(shell, "a\nb")).toEqual({ file: shell, args: ["-c", "a\nb"], isVerbatim: false });
  }
});

test("the Windows command prompt gets one line, with its quotes unchanged", () => {
  const shell = "C:\\Windows\\System32\\CMD.EXE";
  expect(shellCall(shell, 'echo "a b"\r\n\r\ndir')).toEqual({
    file: shell,
    args: ["/d", "/s", "/c", '"echo "a b" & dir"'],
    isVerbatim: true,
  });
});

test("PowerShell exits with the code of the failed program", () => {
  for (const shell of ["/usr/bin/pwsh", "C:\\Windows\\powershell.exe"]) {
    const { args } = shellCall(shell, "git status # now");
    expect(args.slice(0, 2)).toEqual(["-NoLogo", "-Command"]);
    expect(args[2]).toMatch(/^git status # now\nif .*exit \$LASTEXITCODE/);
  }
});
