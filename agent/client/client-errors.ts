/** The exit of the process, with the last 16 Ki characters of its stderr. */
export interface AgentExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stderrTail: string;
}

/** The agent refused a command. `message` is the agent's text for people; branch on `code`. */
export class RequestFailed extends Error {
  readonly command: string;
  readonly code: string | undefined;
  constructor(command: string, message: string, code?: string) {
    super(message);
    this.name = "RequestFailed";
    this.command = command;
    this.code = code;
  }
}

/** The agent did not answer a command in time. A late answer is dropped. */
export class RequestTimeout extends Error {
  readonly command: string;
  readonly timeoutMs: number;
  constructor(command: string, timeoutMs: number) {
    super(`The agent didn't answer "${command}" within ${timeoutMs} ms.`);
    this.name = "RequestTimeout";
    this.command = command;
    this.timeoutMs = timeoutMs;
  }
}

/** The agent answered a command with data of a shape that this client does not know. */
export class UnreadableAnswer extends Error {
  readonly command: string;
  constructor(command: string, options: ErrorOptions) {
    super(
      `Couldn't read the agent's answer to "${command}". Check that the host and the agent have the same version.`,
      options,
    );
    this.name = "UnreadableAnswer";
    this.command = command;
  }
}

/** The connection was closed by this side, before or while a command waited. */
export class ConnectionClosed extends Error {
  constructor(message = "The connection to the agent is closed.") {
    super(message);
    this.name = "ConnectionClosed";
  }
}

/** The agent process ended by itself. */
export class AgentExited extends Error {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stderrTail: string;
  constructor(exit: AgentExit) {
    super(
      exit.signal === null ? `The agent exited with code ${exit.exitCode}.` : `The agent crashed (${exit.signal}).`,
    );
    this.name = "AgentExited";
    this.exitCode = exit.exitCode;
    this.signal = exit.signal;
    this.stderrTail = exit.stderrTail;
  }
}

/** No process could be made of the command line. `cause` is the system's error. */
export class AgentNotStarted extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "AgentNotStarted";
  }
}
