import { homedir } from "node:os";
import type { AgentOptions } from "../config/options.ts";
import { agentDirectory, type Env } from "../config/paths.ts";
import { createModelRegistry } from "../providers/registry.ts";
import type { RpcProcess } from "../rpc/load/prepare.ts";
import type { HostWire } from "../rpc/wire/host-wire.ts";
import { Shutdown } from "../rpc/wire/shutdown.ts";
import { writeFailure } from "../rpc/wire/stdout-guard.ts";
import { openStream } from "./acp-stream.ts";
import { type Connected, createApp } from "./agent-app.ts";
import { ClientLink } from "./client/client-link.ts";
import { OpenSessions } from "./open-sessions.ts";

/** The process as ACP mode sees it. */
export interface AcpProcess extends Pick<RpcProcess, "env" | "childEnv" | "onSignal" | "onStrayError" | "exit"> {
  options: AgentOptions;
  wire: HostWire;
  /** Adds to options what the user decided about trust in a folder. */
  withTrust(options: AgentOptions, cwd: string): AgentOptions;
}

/** Starts ACP mode: answers a client of the Agent Client Protocol, until it closes the connection. */
export function startAcp(acp: AcpProcess): void {
  const { env, childEnv, options } = acp;
  const strays = new Set<(error: unknown) => boolean>();
  acp.onStrayError((error) => [...strays].some((handles) => handles(error)));
  const { stream, sink } = openStream(acp.wire, (failure) => {
    if (failure === undefined) return shutdown.endOfInput();
    console.error(writeFailure(failure));
    shutdown.fail();
  });
  let connected: Connected | undefined;
  const app = createApp(() => {
    if (connected === undefined) throw new Error("A request came before the connection.");
    return connected;
  });
  const connection = app.connect(stream);
  const link = new ClientLink(sink, connection.client);
  const sessions = new OpenSessions(
    {
      options,
      env,
      surroundingsIn: (cwd, ended) => ({
        options: acp.withTrust(options, cwd),
        env,
        childEnv,
        cwd,
        onStrayError(handles) {
          strays.add(handles);
          void ended.then(() => strays.delete(handles));
        },
      }),
    },
    link,
    sink,
  );
  connected = { link, sessions, canAnswer: () => canAnswer(options, env) };
  const shutdown = new Shutdown({
    disconnect: () => acp.wire.pause(),
    abortWork: async () => undefined,
    idle: async () => undefined,
    close: () => sessions.closeAll(),
    flushOutput: (limitMs) => sink.finish(limitMs),
    exit: acp.exit,
  });
  void connection.closed.then(() => shutdown.endOfInput());
  acp.onSignal((signal) => shutdown.signal(signal));
}

/** True if a model has what it needs to answer. */
async function canAnswer(options: AgentOptions, env: Env): Promise<boolean> {
  const registry = await createModelRegistry({
    agentDir: agentDirectory(env, homedir()),
    env,
    enableDemo: options.usesDemo,
    apiKeyOverride: options.apiKey,
    warn: (message) => console.error(message),
  });
  return registry.available().length > 0;
}
