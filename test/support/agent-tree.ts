import { execFileSync, spawnSync } from "node:child_process";
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { AgentChanges } from "../../agent/changes/agent-changes.ts";
import { readEntry } from "../../agent/changes/file-content.ts";
import { restoreEntries } from "../../agent/changes/restore-entries.ts";
import type { AgentEvent } from "../../agent/protocol/events.ts";

/** A folder in which the agent's own recorder watches what commands do. */
export class AgentTree {
  readonly folder: string;
  readonly sessionFile: string;
  readonly changes: AgentChanges;
  readonly events: Extract<AgentEvent, { type: "changes_update" }>[] = [];
  readonly warnings: string[] = [];
  #calls = 0;

  private constructor(folder: string, sessionFile: string) {
    this.folder = folder;
    this.sessionFile = sessionFile;
    this.changes = new AgentChanges({
      folders: [folder],
      disk: { read: readEntry, restore: restoreEntries, isOpen: async () => false },
      session: () => ({ id: "s", file: sessionFile, parentFile: undefined, calls: () => [] }),
      emit: (event) => this.events.push(event),
      warn: (message) => this.warnings.push(message),
    });
  }

  /** Opens a folder; `make` fills it first. */
  static async open(make: (folder: string) => Promise<void> = async () => undefined): Promise<AgentTree> {
    const folder = await newFolder();
    await make(folder);
    return new AgentTree(folder, join(await newFolder(), "session.jsonl"));
  }

  /** Ends the recording, and deletes everything. */
  async dispose(): Promise<void> {
    await this.changes.end();
    for (const folder of [this.folder, dirname(this.sessionFile)]) {
      execFileSync("chmod", ["-R", "u+rwX", folder]);
      await rm(folder, { recursive: true });
    }
  }

  /** Runs a call of the agent; without `name`, it is a command that may change anything. @returns its id. */
  async call(name: string | undefined, work: () => Promise<void> | void): Promise<string> {
    this.#calls += 1;
    const toolCallId = `c${this.#calls}`;
    const path = name === undefined ? undefined : join(this.folder, name);
    const call = { toolCallId, toolName: path === undefined ? "bash" : "edit", path };
    await this.changes.before(call);
    await work();
    await this.changes.after(call);
    return toolCallId;
  }

  /** Runs a command as `bash` does, whether it succeeds or not. @returns the id of the call. */
  shell(command: string): Promise<string> {
    return this.call(undefined, () => {
      spawnSync("bash", ["-c", command], { cwd: this.folder, stdio: "ignore" });
    });
  }
}

async function newFolder(): Promise<string> {
  return realpath(await mkdtemp(join(tmpdir(), "tiller-tree-")));
}

/** Returns everything in a folder but Git's own: kind, permissions, and content or target, by name. */
export async function treeOf(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of await readdir(folder, { recursive: true })) {
    if (name.split("/").includes(".git")) continue;
    const path = join(folder, name);
    const stats = await lstat(path);
    const mode = (stats.mode & 0o777).toString(8);
    if (stats.isSymbolicLink()) found[name] = `link ${await readlink(path)}`;
    else if (stats.isDirectory()) found[name] = `folder ${mode}`;
    else found[name] = `file ${mode} ${(await readFile(path)).toString("latin1")}`;
  }
  return found;
}

/** A file's text and permissions, or what a link leads to. */
type Planted = string | { text: string; mode: number } | { link: string };

/** Puts files and links into a folder. */
export async function plant(folder: string, entries: Readonly<Record<string, Planted>>): Promise<void> {
  for (const [name, planted] of Object.entries(entries)) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    if (typeof planted === "string") await writeFile(path, planted, "latin1");
    else if ("link" in planted) await symlink(planted.link, path);
    else {
      await writeFile(path, planted.text, "latin1");
      await chmod(path, planted.mode);
    }
  }
}

/** Makes a folder a repository with everything in it committed. */
export function commitTree(folder: string): void {
  const who = ["-c", "user.name=T", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"];
  execFileSync("git", ["init", "-q"], { cwd: folder });
  execFileSync("git", ["add", "-A"], { cwd: folder });
  execFileSync("git", [...who, "commit", "-qm", "first"], { cwd: folder });
}
