import type { ReadyFrame } from "../protocol/envelope.ts";
import { type AgentCommand, type AgentProcess, spawnAgent } from "./agent-process.ts";
import { AgentExited, AgentNotStarted } from "./client-errors.ts";
import type { RpcListeners } from "./frame-client.ts";
import { RpcClient } from "./rpc-client.ts";

const READY_TIMEOUT_MS = 30_000;

/** A process that has said `ready`, and the client that speaks to it. */
export interface StartedAgent {
  readonly process: AgentProcess;
  readonly client: RpcClient;
  readonly ready: ReadyFrame;
}

interface StartOptions {
  readonly onStderr?: (text: string) => void;
  /** Default 30 s. */
  readonly readyTimeoutMs?: number;
  readonly stopGraceMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * Starts an agent and resolves when it has said `ready`. Throws `AgentNotStarted` (no process, or not ready in time), `AgentExited`
 * (it ended first), or the reason of `signal`; in each case nothing is left running.
 */
export async function startAgent(
  command: AgentCommand,
  listeners: RpcListeners,
  options: StartOptions = {},
): Promise<StartedAgent> {
  const { readyTimeoutMs = READY_TIMEOUT_MS, signal } = options;
  signal?.throwIfAborted();
  const process = await spawnAgent(command, options);
  return new Promise((resolve, reject) => {
    let isSettled = false;
    const settle = (finish: () => void) => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      finish();
    };
    const fail = (error: unknown) =>
      settle(() => {
        const isGone = error instanceof AgentExited;
        (isGone ? Promise.resolve() : client.close()).then(() => reject(error), reject);
      });
    const onAbort = () => fail(signal?.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    const timer = setTimeout(() => {
      fail(new AgentNotStarted(`The agent "${command.file}" was not ready within ${readyTimeoutMs} ms.`));
    }, readyTimeoutMs);
    const client = new RpcClient(process, {
      ...listeners,
      ready: (ready) => {
        settle(() => resolve({ process, client, ready }));
        listeners.ready?.(ready);
      },
      closed: (reason) => {
        fail(reason);
        listeners.closed?.(reason);
      },
    });
    if (signal?.aborted) onAbort();
  });
}
