import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute } from "node:path";
import type { ListSessionsResponse, McpServer, SessionInfo } from "@agentclientprotocol/sdk";
import type { AgentOptions, SessionChoice } from "../config/options.ts";
import { agentDirectory, type Env } from "../config/paths.ts";
import type { SessionSummary } from "../protocol/history.ts";
import type { History } from "../session/history/history.ts";
import { sessionFolder } from "../session/locate.ts";
import { KeyedLock } from "../util/keyed-lock.ts";
import { AcpSession } from "./acp-session.ts";
import type { ClientLink } from "./client/client-link.ts";
import { authRequired, invalidParams, sessionNotFound } from "./errors.ts";
import type { AgentSurroundings, Pace } from "./local-agent.ts";
import { clientServers } from "./mcp-servers.ts";

/** The parts that all sessions of the process share. */
export interface SessionsHouse {
  options: AgentOptions;
  env: Env;
  /** The surroundings of a session in a folder, but for what the client decides. @param ended resolves when the session has ended. */
  surroundingsIn(cwd: string, ended: Promise<void>): Omit<AgentSurroundings, "extension">;
}

/** The wishes of a client for a session. */
export interface SessionWishes {
  cwd: string;
  additionalDirectories?: string[] | undefined;
  mcpServers?: McpServer[] | undefined;
}

const PAGE = 100;

/** The sessions of a client: those that are open, and those on the disk. */
export class OpenSessions {
  readonly #house: SessionsHouse;
  readonly #link: ClientLink;
  readonly #pace: Pace;
  readonly #open = new Map<string, AcpSession>();
  /** Sessions that are about to open, or have ended and not yet closed. */
  readonly #moving = new Set<AcpSession>();
  /** A session is opened and closed by one request after the other. */
  readonly #turns = new KeyedLock();
  readonly #hasOldKeys = new WeakSet<AcpSession>();
  readonly #ending = new AbortController();

  constructor(house: SessionsHouse, link: ClientLink, pace: Pace) {
    this.#house = house;
    this.#link = link;
    this.#pace = pace;
  }

  /** @throws RequestError if no open session has the ID. */
  get(sessionId: string): AcpSession {
    const session = this.#open.get(sessionId);
    if (session === undefined) throw sessionNotFound(sessionId);
    return session;
  }

  /** Starts a session. @throws RequestError, also if no model can answer; then there is no session. */
  async create(wishes: SessionWishes): Promise<AcpSession> {
    const { options } = this.#house;
    return this.#startKeyed(wishes, options.session.kind === "memory" ? options.session : { kind: "new" });
  }

  /** Opens a session of the disk; one that is open stays so. @throws RequestError, also if no model can answer. */
  reopen(sessionId: string, wishes: SessionWishes): Promise<AcpSession> {
    return this.#turns.run(sessionId, () => this.#reopen(sessionId, wishes));
  }

  /** Starts a session that begins with the conversation of another one. @throws RequestError, also if no model can answer. */
  async fork(sessionId: string, wishes: SessionWishes): Promise<AcpSession> {
    const found = await this.#find(sessionId);
    if (found === undefined) throw sessionNotFound(sessionId);
    return this.#startKeyed(wishes, { kind: "fork", pathOrId: found.path });
  }

  /** The user has changed keys: sessions that are open take them when they are opened again. */
  renewKeys(): void {
    for (const session of this.#open.values()) this.#hasOldKeys.add(session);
  }

  /** @param cwd only sessions of this folder. */
  async list(cwd: string | undefined, cursor: string | undefined): Promise<ListSessionsResponse> {
    const scope = cwd === undefined ? "all" : "project";
    const history = await this.#history(cwd);
    const { sessions, nextCursor } = await history.list({ scope, limit: PAGE, cursor });
    return { sessions: sessions.flatMap(infoOf), ...(nextCursor !== undefined && { nextCursor }) };
  }

  /** Ends a session in order; its file stays. @throws RequestError if no open session has the ID. */
  close(sessionId: string): Promise<void> {
    return this.#turns.run(sessionId, () => this.get(sessionId).close());
  }

  /** Moves a session to the trash. One that doesn't exist, or was never written, is deleted already. */
  delete(sessionId: string): Promise<void> {
    return this.#turns.run(sessionId, async () => {
      await this.#open.get(sessionId)?.close();
      const found = await this.#find(sessionId);
      if (found !== undefined) (await this.#history(undefined)).remove({ sessionPath: found.path });
    });
  }

  /** Ends all sessions. */
  async closeAll(): Promise<void> {
    this.#ending.abort();
    await Promise.all([...this.#open.values(), ...this.#moving].map((session) => session.close()));
  }

  async #reopen(sessionId: string, wishes: SessionWishes): Promise<AcpSession> {
    const open = this.#open.get(sessionId);
    if (open !== undefined && !this.#hasOldKeys.has(open)) return open;
    const found = await this.#find(sessionId);
    if (found === undefined && open !== undefined) return open; // it has no message yet
    if (found === undefined) throw sessionNotFound(sessionId);
    await open?.close();
    return this.#startKeyed(wishes, { kind: "open", pathOrId: found.path });
  }

  async #startKeyed(wishes: SessionWishes, choice: SessionChoice): Promise<AcpSession> {
    const session = await this.#start(wishes, choice);
    if (await session.hasModel()) return session;
    await session.close();
    throw authRequired();
  }

  async #start(wishes: SessionWishes, session: SessionChoice): Promise<AcpSession> {
    const { cwd, additionalDirectories = [], mcpServers } = wishes;
    for (const folder of [cwd, ...additionalDirectories]) await requireFolder(folder);
    const opened = new AcpSession({ link: this.#link, pace: this.#pace, cwd });
    const surroundings = this.#house.surroundingsIn(cwd, opened.ended);
    const { options } = surroundings;
    this.#moving.add(opened);
    void opened.ended.then(() => {
      this.#moving.delete(opened);
      if (this.#open.get(opened.id) === opened) this.#open.delete(opened.id);
    });
    try {
      await opened.start({
        ...surroundings,
        extension: clientServers(mcpServers),
        options: {
          ...options,
          action: "rpc",
          session,
          stream: "delta",
          permissionMode: options.permissionMode ?? "confirm",
          otherFolders: [...options.otherFolders, ...additionalDirectories],
        },
      });
      this.#open.set(opened.id, opened);
      this.#moving.delete(opened);
      return opened;
    } catch (error) {
      void opened.close();
      throw error;
    }
  }

  async #find(sessionId: string): Promise<SessionSummary | undefined> {
    const history = await this.#history(undefined);
    let cursor: string | undefined;
    do {
      const page = await history.list({ scope: "all", limit: PAGE, cursor });
      const found = page.sessions.find(({ id }) => id === sessionId);
      if (found !== undefined) return found;
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return undefined;
  }

  /** Its code is loaded with the first request for it. */
  async #history(cwd = homedir()): Promise<History> {
    const { History } = await import("../session/history/history.ts");
    const { env, options } = this.#house;
    const agentDir = agentDirectory(env, cwd);
    const folder = sessionFolder({ agentDir, cwd, sessionDir: options.sessionDir });
    return new History({
      place: { agentDir, cwd, folder },
      openFile: () => undefined,
      signal: this.#ending.signal,
    });
  }
}

async function requireFolder(path: string): Promise<void> {
  if (!isAbsolute(path)) throw invalidParams(`The folder "${path}" is not an absolute path.`);
  const stats = await stat(path).catch(() => undefined);
  if (stats === undefined) throw invalidParams(`The folder ${path} doesn't exist. Create it, or open another one.`);
  if (!stats.isDirectory()) throw invalidParams(`${path} is not a folder.`);
}

/** Files that can't be read as sessions are left out. */
function infoOf({ id, cwd, name, firstMessage, modifiedAt, problem }: SessionSummary): SessionInfo[] {
  if (id === undefined || cwd === undefined || problem !== undefined) return [];
  const title = name ?? firstMessage;
  const updatedAt = new Date(modifiedAt).toISOString();
  return [{ sessionId: id, cwd, updatedAt, ...(title !== undefined && { title }) }];
}
