import type { BashResult, CommandInput } from "../../agent/protocol/commands.ts";
import { t } from "../../webview/l10n.ts";
import type { HostAction } from "../core/transcript/transcript-state.ts";

/** A shell command of the user; the model does not see one with `isExcluded`. */
export interface ShellCommand {
  readonly command: string;
  readonly isExcluded: boolean;
}

interface UserShellPorts {
  /** Starts the agent if needed; its conversation is loaded by then. */
  start(): Promise<unknown>;
  bash(params: CommandInput<"bash">): Promise<BashResult>;
  abort(): Promise<unknown>;
  show(action: HostAction): void;
  giveBack(text: string): void;
  failed(text: string, error: unknown): void;
}

/** Parses `!command` and `!!command`. @returns undefined for any other text, also with a space before the mark. */
export function readShellCommand(text: string): ShellCommand | undefined {
  const [, marks, command] = /^(!!?)\s*([^\s!][\s\S]*)$/.exec(text) ?? [];
  return command === undefined ? undefined : { command: command.trimEnd(), isExcluded: marks === "!!" };
}

/** Runs the shell commands that the user types into the composer, one at a time. */
export class UserShell {
  readonly #ports: UserShellPorts;
  #isRunning = false;

  constructor(ports: UserShellPorts) {
    this.#ports = ports;
  }

  /** Runs a command and shows it as a card. If it cannot be run, it returns to the composer. */
  async run({ command, isExcluded }: ShellCommand, text: string): Promise<void> {
    const { show, failed, giveBack } = this.#ports;
    if (this.#isRunning) {
      giveBack(text);
      failed(
        t("Couldn't run the command."),
        new Error(t("Another command is running. Stop it, or wait for it to finish.")),
      );
      return;
    }
    this.#isRunning = true;
    try {
      await this.#ports.start();
      show({ type: "host_shell_start", command, isExcluded });
      show({ type: "host_shell_end", result: await this.#ports.bash({ command, excludeFromContext: isExcluded }) });
    } catch (error) {
      show({ type: "host_shell_end" });
      giveBack(text);
      failed(t("Couldn't run the command."), error);
    } finally {
      this.#isRunning = false;
    }
  }

  /** Stops the running command; its card keeps the output so far. */
  async stop(): Promise<void> {
    if (this.#isRunning) await this.#ports.abort();
  }
}
