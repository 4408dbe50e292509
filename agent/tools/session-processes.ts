import { keepGroup } from "../util/process-groups.ts";
import { killTree } from "../util/process-tree.ts";
import { BackgroundProcesses } from "./background.ts";

/** Process groups of all sessions that still have members, by the id of their shell. */
const allGroups = new Set<number>();

/** What the commands of one session started and left running. */
export class SessionProcesses {
  readonly background = new BackgroundProcesses();
  readonly #groups = new Set<number>();

  /** Keeps a process group until it is empty. @returns what says that it is. */
  keep(group: number): () => void {
    this.#groups.add(group);
    allGroups.add(group);
    const forget = keepGroup(group);
    return () => {
      this.#groups.delete(group);
      allGroups.delete(group);
      forget();
    };
  }

  /** Ends all groups of this session. */
  async end(): Promise<void> {
    await Promise.all([...this.#groups].map((group) => killTree(group)));
  }
}

/** The processes of an agent that has one session, and of commands that belong to none. */
export const ownProcesses = new SessionProcesses();

/**
 * Ends every tree that `runShell` started and that still runs, background processes included.
 * @param graceMs how long the trees may take to end by themselves; the default is that of an aborted command.
 */
export async function killAllShells(graceMs?: number): Promise<void> {
  await Promise.all([...allGroups].map((group) => killTree(group, graceMs)));
}
