import { describe, expect, it } from "vitest";
import { terminalEnv } from "../../../../../extension/host/host-tools/run/terminal-env.ts";

function envOf(
  inherited: Record<string, string | undefined>,
  setting: Record<string, string | null> = {},
  platform: NodeJS.Platform = "linux",
): Record<string, string> {
  return terminalEnv({ inherited, setting, folder: "/project", home: "/home/me", editorVersion: "1.2.3", platform });
}

describe("the environment of a terminal", () => {
  it("is the editor's without variables that the editor sets for itself", () => {
    const inherited = {
      PATH: "/bin",
      ELECTRON_RUN_AS_NODE: "1",
      VSCODE_IPC_HOOK: "x",
      VSCODE_PORTABLE: "p",
      NO: undefined,
    };
    expect(envOf(inherited)).toEqual({
      PATH: "/bin",
      VSCODE_PORTABLE: "p",
      TERM: "xterm-256color",
      COLORTERM: "truecolor",
      TERM_PROGRAM: "vscode",
      TERM_PROGRAM_VERSION: "1.2.3",
    });
  });

  it("applies additions, changes and removals of the user's setting", () => {
    const setting = {
      PATH: `/mine:\${env:PATH}:\${env:MISSING}`,
      HERE: `\${workspaceFolder}/x:\${userHome}`,
      UNKNOWN: `\${command:x} costs $5`,
      GONE: null,
      TERM: "dumb",
    };
    expect(envOf({ PATH: "/bin", GONE: "1" }, setting)).toEqual({
      PATH: "/mine:/bin:",
      HERE: "/project/x:/home/me",
      UNKNOWN: `\${command:x} costs $5`,
      TERM: "dumb",
      COLORTERM: "truecolor",
      TERM_PROGRAM: "vscode",
      TERM_PROGRAM_VERSION: "1.2.3",
    });
  });

  it("ignores the case of variable names only on Windows", () => {
    expect(envOf({ Path: "C:\\bin" }, { PATH: `D:\\mine;\${env:path}` }, "win32")).toMatchObject({
      Path: "D:\\mine;C:\\bin",
    });
    expect(envOf({ Path: "/a" }, { PATH: "/b" })).toMatchObject({ Path: "/a", PATH: "/b" });
  });
});
