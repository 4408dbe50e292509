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

/** Tells the running agent its permission mode, and shows the mode in effect. */
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

  /** Applies the setting at once, in place of the mode chosen for this session. */
  async followSetting(): Promise<void> {
    this.#options.mode.forget();
    await this.apply();
  }

  /** Applies the current mode to the agent. */
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
      // An agent that has exited meanwhile is not started again for this.
      if (this.#options.client() === client) await this.#options.refresh();
    }
  }
}
