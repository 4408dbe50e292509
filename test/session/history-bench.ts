import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { History } from "../../agent/session/history/history.ts";
import { sessionFolder } from "../../agent/session/locate.ts";

const TIME = "2026-05-01T10:00:00.000Z";
const COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const USAGE = { input: 3, output: 2, cacheRead: 0, cacheWrite: 0, totalTokens: 5, cost: COST };

/** The first line of a session. */
export function header(fields: object = {}): object {
  return { type: "session", version: 3, id: "s-1", timestamp: TIME, cwd: "/nowhere", ...fields };
}

/** An entry without id and place. */
export function said(text: string): object {
  return { type: "message", message: { role: "user", content: [{ type: "text", text }], timestamp: 1 } };
}

/** An answer; without blocks before it only text. */
export function answered(text: string, ...before: object[]): object {
  const rest = { api: "a", provider: "acme", model: "m-2", usage: USAGE, stopReason: "stop", timestamp: 2 };
  return { type: "message", message: { role: "assistant", content: [...before, { type: "text", text }], ...rest } };
}

/** A tool result. */
export function gave(text: string): object {
  const content = [{ type: "text", text }];
  const rest = { toolCallId: "t1", toolName: "bash", isError: false, timestamp: 3 };
  return { type: "message", message: { role: "toolResult", content, ...rest } };
}

/** Gives entries ids and hangs each on the one before it: `e0`, `e1`, … */
export function chained(...bodies: readonly object[]): object[] {
  return bodies.map((body, index) => {
    const parentId = index === 0 ? null : `e${index - 1}`;
    return { id: `e${index}`, parentId, timestamp: TIME, ...body };
  });
}

/** Lines as a session file has them. */
export function jsonLines(...lines: readonly object[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** A folder of the user's with a project in it, and the history that an agent in that project has. */
export class HistoryBench {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "tiller-history-")));
  readonly agentDir = join(this.root, "agent");
  readonly cwd = join(this.root, "project");
  /** The folder of the project's sessions. */
  readonly folder = sessionFolder({ agentDir: this.agentDir, cwd: this.cwd, sessionDir: undefined });
  readonly #ending = new AbortController();
  #written = 0;
  /** The session that the agent has open. */
  openFile: string | undefined;
  /** The trash's current time; undefined means the real one. */
  now: number | undefined;

  constructor() {
    mkdirSync(this.cwd, { recursive: true });
  }

  /** @param sessionDir a folder that the user chose. */
  history(sessionDir?: string): History {
    const place = { agentDir: this.agentDir, cwd: this.cwd, folder: sessionDir ?? this.folder };
    const owner = { place, openFile: () => this.openFile, signal: this.#ending.signal };
    return new History(owner, () => this.now ?? Date.now());
  }

  /** Writes a file of any content; each is a second newer than the one before. @param name within the project's folder of sessions. */
  write(name: string, content: string | Buffer, folder = this.folder): string {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    const time = 1_790_000_000 + this.#written++;
    utimesSync(path, time, time);
    return path;
  }

  /** Writes a session of the project. */
  session(name: string, ...bodies: readonly object[]): string {
    return this.write(name, jsonLines(header({ id: name, cwd: this.cwd }), ...chained(...bodies)));
  }

  /** The agent ends. */
  end(): void {
    this.#ending.abort(new Error("It is over."));
  }

  dispose(): void {
    this.end();
    rmSync(this.root, { recursive: true, force: true });
  }
}
