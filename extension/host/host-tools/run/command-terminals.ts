import { homedir } from "node:os";
import * as vscode from "vscode";
import * as z from "zod";
import { type HostToolContext, HostToolFailed } from "../host-tool.ts";
import { CommandTerminal } from "./command-terminal.ts";
import { START_WAIT_MS, TERMINAL_NAME } from "./shell-terminals.ts";
import { terminalEnv } from "./terminal-env.ts";
import type { TerminalRun } from "./terminal-run.ts";

const OS_OF_SETTING = { win32: "windows", darwin: "osx" } as const;
const EnvSettingSchema = z.record(z.string(), z.string().nullable()).catch({});

interface Shown {
  readonly folder: string;
  readonly terminal: vscode.Terminal;
  readonly inside: CommandTerminal;
}

/** The terminals for commands of the agent whose shell does not report its output to the editor. */
export class CommandTerminals {
  #all: readonly Shown[] = [];
  readonly #busy = new WeakSet<Shown>();
  readonly #subscription = vscode.window.onDidCloseTerminal((closed) => {
    this.#all = this.#all.filter(({ terminal }) => terminal !== closed);
  });

  /** Runs a command and shows it. */
  async run(
    command: string,
    { folder, token }: Pick<HostToolContext, "folder" | "token">,
    onData: (text: string) => void,
  ): Promise<TerminalRun> {
    const shown = this.#find(folder);
    this.#busy.add(shown);
    let run: TerminalRun | undefined;
    try {
      shown.terminal.show(true);
      const isOpen = await shown.inside.isOpenWithin(START_WAIT_MS);
      if (token.isCancellationRequested) throw new HostToolFailed("Canceled; nothing ran.");
      if (!isOpen) throw new HostToolFailed("The terminal didn't open, or was closed; nothing ran. Use bash.");
      const start = { command, shell: userShell(), cwd: folder, env: environment(folder) };
      run = await shown.inside.run(start, onData);
      const free = () => this.#busy.delete(shown);
      run.ended.then(free, free);
      return run;
    } finally {
      if (run === undefined) this.#busy.delete(shown);
    }
  }

  /** Ends what runs and closes the terminals. */
  dispose(): void {
    this.#subscription.dispose();
    for (const { terminal, inside } of this.#all) {
      inside.close();
      terminal.dispose();
    }
  }

  #find(folder: string): Shown {
    const isFree = (shown: Shown) => !shown.inside.isClosed && !this.#busy.has(shown);
    const free = this.#all.find((shown) => shown.folder === folder && isFree(shown));
    if (free !== undefined) return free;
    const inside = new CommandTerminal();
    const iconPath = new vscode.ThemeIcon("robot");
    const shown = {
      folder,
      inside,
      terminal: vscode.window.createTerminal({ name: TERMINAL_NAME, pty: inside, iconPath }),
    };
    this.#all = [...this.#all, shown];
    return shown;
  }
}

function userShell(): string {
  const { SHELL, ComSpec } = process.env;
  return vscode.env.shell || (process.platform === "win32" ? (ComSpec ?? "cmd.exe") : (SHELL ?? "/bin/sh"));
}

function environment(folder: string): Record<string, string> {
  const { platform } = process;
  const os = platform === "win32" || platform === "darwin" ? OS_OF_SETTING[platform] : "linux";
  const settings = vscode.workspace.getConfiguration("terminal.integrated.env", vscode.Uri.file(folder));
  return terminalEnv({
    inherited: process.env,
    setting: EnvSettingSchema.parse(settings.get(os)),
    folder,
    home: homedir(),
    editorVersion: vscode.version,
    platform,
  });
}
