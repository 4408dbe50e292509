import type { RpcClient } from "../../agent/client/rpc-client.ts";
import type { PermissionMode } from "../../agent/protocol/approvals.ts";
import { modeFace, type SessionMode } from "./session-mode.ts";
import type { TranscriptStore } from "./transcript-store.ts";

interface ModeSwitchOptions {
  readonly mode: SessionMode;
  readonly transcript: TranscriptStore;
  /** The client of the running agent, if there is one. */
  readonly client: () => RpcClient | undefined;
  /** Reads the agent's state again. */
  readonly refresh: () => Promise<void>;
}

/** Tells the running agent what it may do without asking, and shows what then counts. */
export class ModeSwitch {
  readonly #options: ModeSwitchOptions;

  constructor(options: ModeSwitchOptions) {
    this.#options = options;
  }

  /** Switches at once, for this session only. Rejects when the agent refuses. */
  async set(mode: PermissionMode): Promise<void> {
    const takeBack = this.#options.mode.choose(mode);
    try {
      await this.apply();
    } catch (error) {
      takeBack();
      throw error;
    }
  }

  /** The setting counts at once, in place of what was chosen for this session. */
  async followSetting(): Promise<void> {
    this.#options.mode.forget();
    await this.apply();
  }

  /** Makes the agent do what is chosen here. */
  async apply(): Promise<void> {
    const client = this.#options.client();
    const mode = this.#options.mode.current;
    if (client === undefined) {
      this.#options.transcript.dispatch({ type: "host_ui", ui: { mode: modeFace(mode) } });
      return;
    }
    try {
      await client.request("set_permission_mode", { mode, enforce: true });
    } finally {
      // An agent that has ended meanwhile is not started again for this.
      if (this.#options.client() === client) await this.#options.refresh();
    }
  }
}
