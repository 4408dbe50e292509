import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type AnyMessage,
  type ClientApp,
  type ClientCapabilities,
  type ClientContext,
  client,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionNotification,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { AcpChecker, type AcpMessage, type Sender } from "./acp-schema.ts";
import { BUILT_AGENT } from "./spawn-agent.ts";

const DEADLINE_MS = 15_000;

/** Answers a question whether a call may run. */
export type PermissionAnswer = (
  request: RequestPermissionRequest,
) => RequestPermissionResponse | Promise<RequestPermissionResponse>;

interface AcpClientOptions {
  modelUrl?: string;
  args?: readonly string[];
  env?: Record<string, string>;
  /** AGENT_DIR and HOME; default is a new folder. */
  home?: string;
  capabilities?: ClientCapabilities;
  /** Default: allows everything once. */
  onPermission?: PermissionAnswer;
  /** Adds what the client can do. */
  handle?: (app: ClientApp) => ClientApp;
  protocolVersion?: number;
}

type UpdateOf<T extends SessionUpdate["sessionUpdate"]> = Extract<SessionUpdate, { sessionUpdate: T }>;

/** A client of the protocol, built on its SDK, with the built agent as its child. Every message is checked against the schema. */
export class AcpClient {
  readonly child: ChildProcessWithoutNullStreams;
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  readonly notifications: SessionNotification[] = [];
  readonly permissions: RequestPermissionRequest[] = [];
  readonly messages: { from: Sender; message: AcpMessage }[] = [];
  readonly home: string;
  /** A folder for sessions. */
  readonly cwd: string;
  stderr = "";
  readonly agent: ClientContext;
  readonly #checker = new AcpChecker();
  readonly #watchers = new Set<() => void>();
  readonly #temporary: string[] = [];

  constructor(options: AcpClientOptions = {}) {
    const { modelUrl, args = [], env = {}, home = this.#folder(), handle = (app) => app } = options;
    this.home = home;
    this.cwd = this.#folder();
    const model = modelUrl === undefined ? {} : { ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: modelUrl };
    this.child = spawn(process.execPath, [BUILT_AGENT, "--mode", "acp", ...args], {
      cwd: home,
      env: { PATH: process.env.PATH, HOME: home, PI_CODING_AGENT_DIR: join(home, "agent"), ...model, ...env },
    });
    this.child.stdin.on("error", () => undefined); // the test sees its exit
    this.child.stderr.on("data", (chunk: Buffer) => {
      this.stderr += chunk;
      this.#notify();
    });
    this.exited = new Promise((resolve) => this.child.once("close", (code, signal) => resolve({ code, signal })));
    const answer = options.onPermission ?? allowOnce;
    const app = client({ name: "test" })
      .onNotification("session/update", ({ params }) => {
        this.notifications.push(params);
        this.#notify();
      })
      .onRequest("session/request_permission", ({ params }) => {
        this.permissions.push(params);
        this.#notify();
        return answer(params);
      });
    this.agent = handle(app).connect(this.#stream()).agent;
  }

  /** Starts a client and introduces it. */
  static async start(options: AcpClientOptions = {}): Promise<AcpClient> {
    const started = new AcpClient(options);
    const { capabilities: clientCapabilities = {}, protocolVersion = 1 } = options;
    await started.agent.request("initialize", { protocolVersion, clientCapabilities });
    return started;
  }

  /** Starts a session in the client's folder. @returns its ID. */
  async newSession(cwd = this.cwd): Promise<string> {
    return (await this.agent.request("session/new", { cwd, mcpServers: [] })).sessionId;
  }

  /** Sends a text and waits until its turn is over. @returns the reason for the end. */
  async prompt(sessionId: string, text: string): Promise<string> {
    const { stopReason } = await this.agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
    return stopReason;
  }

  /** The updates of one kind so far, of all sessions or one. */
  updates<T extends SessionUpdate["sessionUpdate"]>(kind: T, sessionId?: string): UpdateOf<T>[] {
    const own = this.notifications.filter((one) => sessionId === undefined || one.sessionId === sessionId);
    return own.map(({ update }) => update).filter((update): update is UpdateOf<T> => update.sessionUpdate === kind);
  }

  /** The text that the agent has said so far. */
  said(sessionId?: string): string {
    return this.updates("agent_message_chunk", sessionId)
      .map(({ content }) => (content.type === "text" ? content.text : ""))
      .join("");
  }

  /** Resolves to the first result of `look` that is not undefined; it runs after every message. */
  until<T>(look: () => T | undefined, what: string): Promise<T> {
    return new Promise((resolve, reject) => {
      const check = () => {
        const found = look();
        if (found === undefined) return;
        clearTimeout(timer);
        this.#watchers.delete(check);
        resolve(found);
      };
      const timer = setTimeout(() => {
        this.#watchers.delete(check);
        reject(new Error(`${what} did not come.\n${this.#log()}`));
      }, DEADLINE_MS);
      this.#watchers.add(check);
      check();
    });
  }

  /** Closes stdin and waits for the exit. */
  async end(): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    this.child.stdin.end();
    return this.exited;
  }

  /** Ends the agent. @throws Error if a message did not fit the schema. */
  async dispose(): Promise<void> {
    await this.end();
    for (const folder of this.#temporary) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    if (this.#checker.problems.length > 0) throw new Error(this.#checker.problems.join("\n"));
  }

  /** Writes a message past the SDK. */
  send(message: AnyMessage): void {
    this.#note("client", message);
    this.write(`${JSON.stringify(message)}\n`);
  }

  /** Writes bytes as they are. */
  write(text: string): void {
    this.child.stdin.write(text);
  }

  #stream() {
    const readable = new ReadableStream<AnyMessage>({
      start: (controller) => {
        let rest = "";
        this.child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
          const lines = (rest + chunk).split("\n");
          rest = lines.pop() ?? "";
          for (const line of lines) {
            const message: AnyMessage = JSON.parse(line);
            this.#note("agent", message);
            controller.enqueue(message);
          }
          this.#notify();
        });
        this.child.stdout.once("end", () => controller.close());
      },
    });
    const writable = new WritableStream<AnyMessage>({
      write: (message) => {
        this.#note("client", message);
        this.child.stdin.write(`${JSON.stringify(message)}\n`);
      },
    });
    return { readable, writable };
  }

  #note(from: Sender, message: AnyMessage): void {
    this.messages.push({ from, message: this.#checker.check(from, message) });
    this.#notify();
  }

  #folder(): string {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "tiller-acp-")));
    this.#temporary.push(folder);
    return folder;
  }

  #notify(): void {
    for (const check of [...this.#watchers]) check();
  }

  #log(): string {
    const last = this.messages
      .slice(-20)
      .map(({ from, message }) => `${from}: ${JSON.stringify(message).slice(0, 500)}`);
    return [...last, this.stderr].join("\n");
  }
}

/** Answers with the first option that allows the call. */
export const allowOnce: PermissionAnswer = ({ options }) => choose(options, "allow_once");

/** Answers with the option that rejects the call. */
export const reject: PermissionAnswer = ({ options }) => choose(options, "reject_once");

function choose(options: RequestPermissionRequest["options"], kind: string): RequestPermissionResponse {
  const option = options.find((one) => one.kind === kind);
  if (option === undefined) throw new Error(`There is no option of the kind ${kind}.`);
  return { outcome: { outcome: "selected", optionId: option.optionId } };
}
