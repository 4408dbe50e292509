/** The events for which hooks run. */
export const HOOK_EVENTS = [
  "SessionStart",
  "UserPromptSubmit",
  "PreToolUse",
  "PostToolUse",
  "Stop",
  "PreCompact",
] as const;
export type HookEvent = (typeof HOOK_EVENTS)[number];

/** A file or a setting with hooks. */
export interface HookSource {
  path: string;
  scope: "user" | "project";
  /** Returns the parsed content: an object with `hooks`. @throws Error when it can't be read. */
  read(): unknown;
}

/** The hooks of a file of the project as they are defined now: the user consents to exactly these. */
export interface HookSubject {
  kind: "hooks";
  /** The path of the file in the project. */
  name: string;
  /** Changes with the hooks. */
  hash: string;
  runs: string;
  details: readonly string[];
}

/** The parts of the agent that hooks use. */
export interface HooksParts {
  cwd: string;
  /** Returns the sources that apply now, the user's first. */
  sources(): readonly HookSource[];
  consents: {
    /** True when the hooks may run now. Otherwise, it asks the user. */
    mayRun(subject: HookSubject): boolean;
  };
  /** The shell that runs the commands. @throws Error when there is none. */
  shell(): Promise<string>;
  /** The environment that commands get. */
  childEnv(): Readonly<NodeJS.ProcessEnv>;
  /** Tells the gate what a hook wants for a call. */
  wish(toolCallId: string, wish: "allow" | "ask" | undefined): void;
  /** Writes a message for people to stderr. */
  warn(message: string): void;
}
