import type { AgentChanges } from "./agent-changes.ts";
import type { ChangeRecord } from "./change-record.ts";
import type { ChangingCall } from "./change-recorder.ts";

type Call = Omit<ChangingCall, "session">;

/** The agent's changes, whose code is loaded with the first call that may make one, or the first question about them. */
export class LateChanges {
  readonly #load: () => Promise<AgentChanges>;
  #loading: Promise<AgentChanges> | undefined;
  #loaded: AgentChanges | undefined;

  constructor(load: () => Promise<AgentChanges>) {
    this.#load = load;
  }

  /** The reason why changes cannot be recorded now; undefined when they can. */
  get trouble(): string | undefined {
    return this.#loaded?.trouble;
  }

  /** Must be called and awaited before a call that may change files. */
  async before(call: Call): Promise<void> {
    await (await this.#open()).before(call);
  }

  /** Must be called after the call. Resolves when its changes are recorded. */
  async after(call: Call): Promise<void> {
    await this.#loaded?.after(call);
  }

  /** Ends the calls of the run whose ends were never reported. */
  async endRun(): Promise<void> {
    await this.#loaded?.endRun();
  }

  /** Resolves when all calls so far are recorded, or after a time; undefined when nothing was ever recorded. */
  idle(limitMs: number): Promise<void> | undefined {
    return this.#loaded?.idle(limitMs);
  }

  /** Returns the files outside the watched folders that a call names, and those in folders that it names. */
  async filesOutside(named: readonly { path: string; isFolder: boolean }[]): Promise<string[]> {
    return named.length === 0 ? [] : (await this.#open()).filesOutside(named);
  }

  /** Returns the record of the open session, once all calls so far are recorded. @throws Error of the file system. */
  async record(): Promise<ChangeRecord> {
    return (await this.#open()).record();
  }

  /** Tells that the user has judged changes. */
  judged(reason: "kept" | "undone", paths: readonly string[]): void {
    this.#loaded?.judged(reason, paths);
  }

  /** Must be called when the agent is about to exit. Resolves when everything is stored. */
  async end(): Promise<void> {
    await (await this.#loading)?.end();
  }

  #open(): Promise<AgentChanges> {
    this.#loading ??= this.#load().then((loaded) => {
      this.#loaded = loaded;
      return loaded;
    });
    return this.#loading;
  }
}
