/** A program with its arguments, and the environment that it runs in. */
export interface ContainedProgram {
  file: string;
  args: string[];
  env: NodeJS.ProcessEnv;
}

/** A shell, by its absolute path, and the code that it runs. */
export interface ShellScript {
  shellPath: string;
  script: string;
}

/** A server in the sandbox that is reachable from outside. */
export interface OpenedServer {
  /** Its port inside. */
  port: number;
  /** Its address outside, such as `http://127.0.0.1:3000`. */
  address: string;
}

/** A sandbox that is ready for one command. */
export interface ContainedCommand {
  /** Its folder for temporary files, as paths outside name it; inside, it has this name, too, beside that of the system's folder. */
  folder: string;
  /** Returns how to run a shell in it. @param cwd an absolute path. @param env the whole environment that it would have outside. */
  enter(shell: ShellScript, cwd: string, env: NodeJS.ProcessEnv): ContainedProgram;
  /** Returns what the sandbox seems to have refused a command that failed, in words such as "connecting to example.com". */
  refusalIn(output: string): Promise<string | undefined>;
  /** Comes after the command. @returns what it made where it may not, and that was renamed. */
  end(): Promise<string[]>;
  /** Returns, once, the servers of the sandbox that were opened since the last call. */
  takeOpened(): OpenedServer[];
}

/** The permissions of a contained command. */
export interface Containment {
  /** True if it can write only temporary files, and reach no host. */
  isReadOnly: boolean;
}

/** Runs commands where they can do no harm. */
export interface CommandSandbox {
  /** @throws Error when commands can't be contained here. */
  contain(containment: Containment): Promise<ContainedCommand>;
}

/** Tells the model about servers that were opened; undefined if there are none. */
export function openedText(opened: readonly OpenedServer[]): string | undefined {
  if (opened.length === 0) return undefined;
  const servers = opened.map(({ port, address }) => `the server on port ${port} of the sandbox at ${address}`);
  return `[Outside the sandbox, the user reaches ${servers.join(", and ")}.]`;
}
