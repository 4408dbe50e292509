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
