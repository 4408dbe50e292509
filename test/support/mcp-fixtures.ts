import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeFiles } from "./extension-files.ts";
import { ScriptedModel } from "./scripted-model.ts";
import { reply, toolCall } from "./scripted-replies.ts";
import { AGENT_NODE, AgentUnderTest, asRecord, type Frame } from "./spawn-agent.ts";

/** Path of a program in `test/fixtures/mcp`. */
export function mcpFixture(name: string): string {
  return fileURLToPath(new URL(`../fixtures/mcp/${name}`, import.meta.url));
}

/** An entry for the fixture server on stdin and stdout. */
export function stdioServer(env: Record<string, string> = {}, args: readonly string[] = []) {
  return { command: AGENT_NODE, args: [mcpFixture("stdio-server.mjs"), ...args], env };
}

/** An entry for the server that does this one thing wrong. */
export function faultyServer(bench: Pick<McpBench, "logFile">, fault: string) {
  const env = { FIXTURE_FAULT: fault, FIXTURE_LOG: bench.logFile };
  return { command: AGENT_NODE, args: [mcpFixture("faulty-server.mjs")], env };
}

interface StartOptions {
  /** The user's servers. */
  servers?: Record<string, unknown>;
  /** Files of the project, by path. */
  project?: Record<string, string>;
  settings?: object;
  args?: readonly string[];
  env?: Record<string, string>;
  /** True if sessions are kept in files. */
  isSaved?: boolean;
}

/** Agents with MCP servers, the scripted model that they ask, and everything that has to be removed afterwards. */
export class McpBench {
  readonly model: ScriptedModel;
  /** A new folder. */
  readonly folder = mkdtempSync(join(tmpdir(), "tiller-mcp-"));
  readonly #cleanups: (() => unknown)[] = [];

  private constructor(model: ScriptedModel) {
    this.model = model;
  }

  static async open(): Promise<McpBench> {
    return new McpBench(await ScriptedModel.start());
  }

  /** The file that fixture servers write to when FIXTURE_LOG is its path. */
  get logFile(): string {
    return join(this.folder, "server.log");
  }

  /** The lines of that file. */
  log(): string[] {
    return existsSync(this.logFile) ? readFileSync(this.logFile, "utf8").trimEnd().split("\n") : [];
  }

  start({ servers, project = {}, settings = {}, args = [], env = {}, isSaved = false }: StartOptions): AgentUnderTest {
    const agentDir = join(this.folder, "agent");
    const cwd = join(this.folder, "project");
    writeFiles(agentDir, { "settings.json": JSON.stringify(settings) });
    if (servers !== undefined) writeFiles(agentDir, { "mcp.json": JSON.stringify({ mcpServers: servers }) });
    writeFiles(cwd, { "a.txt": "a", ...project });
    const agent = new AgentUnderTest({
      agentDir,
      cwd,
      modelUrl: this.model.url,
      args: isSaved ? args : ["--no-session", ...args],
      env: { FIXTURE_LOG: this.logFile, ...env },
    });
    this.#cleanups.push(() => agent.dispose());
    return agent;
  }

  /** Starts a fixture server on HTTP. @returns its address, and a function that ends it. */
  async startHttp(
    env: Record<string, string> = {},
    program = "http-server.mjs",
  ): Promise<{ url: string; stop(): Promise<void> }> {
    const child: ChildProcess = spawn(process.execPath, [mcpFixture(program)], {
      env: { PATH: process.env.PATH, FIXTURE_LOG: this.logFile, ...env },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const exited = once(child, "exit");
    const stop = async () => {
      child.kill("SIGKILL");
      await exited;
    };
    this.#cleanups.push(stop);
    if (child.stdout === null) throw new Error("The server has no stdout.");
    const [chunk] = await once(child.stdout, "data");
    return { url: String(chunk).trim(), stop };
  }

  /** Makes the model call a tool once. @returns the frames of the run. */
  async callTool(agent: AgentUnderTest, name: string, args: Record<string, unknown> = {}): Promise<Frame[]> {
    this.model.enqueue(reply([toolCall(name, args)]), reply("ok"));
    return agent.run("go");
  }

  async close(): Promise<void> {
    for (const cleanup of this.#cleanups.splice(0).reverse()) await cleanup();
    rmSync(this.folder, { recursive: true, force: true });
    await this.model.stop();
  }
}

/** Returns the result of the only tool call of a run: whether it failed, and its content. */
export function outcome(frames: readonly Frame[]): { isError: unknown; content: Record<string, unknown>[] } {
  const end = frames.find(({ type }) => type === "tool_execution_end");
  const { content } = asRecord(end?.result);
  return { isError: end?.isError, content: Array.isArray(content) ? content.map(asRecord) : [] };
}

/** The text of the first block that the one tool call of a run gave. */
export function outcomeText(frames: readonly Frame[]): string {
  return String(outcome(frames).content[0]?.text);
}

/** Names of the tools that a request tells the model of. */
export function toolNames(model: ScriptedModel, request: number): string[] {
  return (model.requests[request]?.body.tools ?? []).map(({ name }) => name);
}
