import { ConnectionClosed } from "../client/client-errors.ts";
import { FrameClient, type RpcListeners } from "../client/frame-client.ts";
import type { RpcProcess } from "../rpc/load/prepare.ts";
import { startRpc } from "../rpc/start.ts";
import type { FrameReceiver, FrameSink } from "../rpc/wire/host-wire.ts";
import { SessionProcesses } from "../tools/session-processes.ts";
import { deferred } from "../util/deferred.ts";

/** The surroundings of a session, without the way to its host. */
export type AgentSurroundings = Omit<RpcProcess, "wire" | "processes" | "onSignal" | "exit">;

/** Says whether the client reads fast enough. */
export type Pace = Pick<FrameSink, "isBlocked" | "isFull" | "ready">;

/** An agent in this process, with one session, that this code is the host of. */
export class LocalAgent {
  readonly client: FrameClient;
  readonly #pace: Pace;
  readonly #ended = deferred<void>();
  #receiver: FrameReceiver | undefined;
  #isStopping = false;

  constructor(pace: Pace, listeners: RpcListeners) {
    this.#pace = pace;
    // The agent must not be called from within its own event.
    this.client = new FrameClient((frame) => queueMicrotask(() => this.#receiver?.receive(frame)), listeners, true);
  }

  /** Resolves when it has ended, whoever ended it. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** @throws UsageError or AgentError when the session cannot be opened. */
  async start(surroundings: AgentSurroundings): Promise<void> {
    const starting = startRpc({
      ...surroundings,
      processes: new SessionProcesses(),
      wire: {
        open: () => this.#sink(),
        listen: (receiver) => {
          this.#receiver = receiver;
          if (this.#isStopping) receiver.end();
        },
        pause: () => {
          this.#receiver = undefined;
        },
      },
      onSignal: () => undefined,
      exit: () => {
        this.client.finish(new ConnectionClosed("The session has ended."));
        this.#ended.resolve();
      },
    });
    starting.catch(() => this.#ended.resolve());
    await starting;
  }

  /** Ends the run and the session in order. Resolves when it has ended. */
  stop(): Promise<void> {
    this.#isStopping = true;
    this.#receiver?.end();
    return this.#ended.promise;
  }

  #sink(): FrameSink {
    const pace = this.#pace;
    return {
      get isBlocked() {
        return pace.isBlocked;
      },
      get isFull() {
        return pace.isFull;
      },
      write: (frame) => this.client.take(frame),
      ready: () => pace.ready(),
      finish: async () => undefined,
    };
  }
}
