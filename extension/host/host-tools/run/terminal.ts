import type * as vscode from "vscode";
import * as z from "zod";
import { defineHostTool, type HostTool, type HostToolContext } from "../host-tool.ts";
import { CommandTerminals } from "./command-terminals.ts";
import { ShellTerminals } from "./shell-terminals.ts";
import { outcomeOf, RunOutput, type TerminalRun } from "./terminal-run.ts";

const DEFAULT_SECONDS = 120;
const MAX_SECONDS = 1_800;

/** Creates the tool that runs a command in a terminal that the user sees. @param subscriptions ends the commands with the extension. */
export function createTerminalTool(subscriptions: vscode.Disposable[]): HostTool {
  const shells = new ShellTerminals();
  const commands = new CommandTerminals();
  subscriptions.push(shells, commands);

  /** Uses a shell that reports its output to the editor; where there is none, starts one of our own for this command. */
  const start = async (command: string, context: HostToolContext, onData: (text: string) => void) => {
    const found = await shells.run(command, context, onData);
    if ("ended" in found) return found;
    try {
      return await commands.run(command, context, onData);
    } finally {
      // Only now: with no terminal left, the editor closes the panel.
      found.close();
    }
  };

  return defineHostTool({
    name: "vscode_run_in_terminal",
    label: "Run in terminal",
    description: "Runs a command in a terminal the user sees, when it needs their shell or input. Otherwise, use bash.",
    isReadOnly: false,
    command: "command",
    input: z.object({
      command: z.string().min(1),
      timeoutSeconds: z.int().min(1).max(MAX_SECONDS).default(DEFAULT_SECONDS).describe("then it goes on unwatched"),
    }),
    async run({ command, timeoutSeconds }, context) {
      const output = new RunOutput(context.update);
      try {
        const run = await start(command, context, (data) => output.add(data));
        const outcome = await outcomeOf(run, timeoutSeconds, context.token);
        return `${elsewhere(run, context.folder)}${outcome}\n${output.text()}`;
      } finally {
        output.end();
      }
    },
  });
}

/** Says where a command ran, if an earlier one had changed the folder of its shell. */
function elsewhere(run: TerminalRun, folder: string): string {
  const cwd = run.cwd();
  return cwd === undefined || cwd === folder ? "" : `It ran in ${cwd}, where the shell was. `;
}
