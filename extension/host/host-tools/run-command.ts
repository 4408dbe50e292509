import * as vscode from "vscode";
import * as z from "zod";
import { defineHostTool, type HostTool, HostToolFailed } from "./host-tool.ts";

/** Runs editor commands whose ids the user has allowed; all others are refused. */
export function createCommandTool(allowedCommands: () => readonly string[]): HostTool {
  return defineHostTool({
    name: "vscode_run_command",
    label: "Run editor command",
    description: "Runs an editor command that the user has allowed.",
    isReadOnly: false,
    subject: ["command", "args"],
    need: "allowedCommands",
    input: z.object({
      command: z.string().min(1).describe("its ID, such as editor.action.formatDocument"),
      args: z.array(z.unknown()).default([]),
    }),
    async run({ command, args }, { token, update }) {
      const allowed = allowedCommands();
      if (!allowed.includes(command)) throw new HostToolFailed(refusal(command, allowed));
      if (!(await vscode.commands.getCommands()).includes(command)) {
        throw new HostToolFailed(`There's no editor command "${command}". Check the ID.`);
      }
      update(`Running ${command}`);
      const value = await untilCancelled(vscode.commands.executeCommand<unknown>(command, ...args), token);
      return value === undefined ? `${command} is done.` : `${command} gave back: ${toJson(value)}`;
    },
  });
}

function refusal(command: string, allowed: readonly string[]): string {
  const now = allowed.length === 0 ? "No commands are allowed yet" : `Allowed: ${allowed.join(", ")}`;
  return `The command "${command}" isn't allowed. ${now}. The user can add it to the setting "tiller.hostTools.allowedCommands".`;
}

/** Waits for a command until the call is cancelled; the command itself cannot be stopped. */
async function untilCancelled<T>(work: Thenable<T>, token: vscode.CancellationToken): Promise<T> {
  let subscription: vscode.Disposable | undefined;
  const cancelled = new Promise<never>((_, reject) => {
    subscription = token.onCancellationRequested(() =>
      reject(new HostToolFailed("Canceled; the command may continue.")),
    );
  });
  try {
    return await Promise.race([work, cancelled]);
  } finally {
    subscription?.dispose();
  }
}

function toJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    // Objects of the editor may contain cycles; the text then says only that there is a value.
    return "a value that can't be shown as text";
  }
}
