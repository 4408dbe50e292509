import type { RpcClient } from "../../agent/client/rpc-client.ts";
import type { ApprovalRule } from "../../agent/protocol/approvals.ts";
import { errorMessage } from "../../agent/protocol/errors.ts";

const TIMEOUT_MS = 3_000;

interface SessionRulesOptions {
  /** Called when rules were lost, so that the user is asked again. */
  warn(message: string): void;
}

/** Keeps the rules that the user allowed for a session while no agent runs; an agent forgets them when it exits. */
export class SessionRules {
  readonly #options: SessionRulesOptions;
  #kept: { readonly sessionId: string; readonly rules: readonly ApprovalRule[] } | undefined;

  constructor(options: SessionRulesOptions) {
    this.#options = options;
  }

  /** Takes the rules of an agent that is about to be stopped. */
  async take(client: RpcClient | undefined, sessionId: string | undefined): Promise<void> {
    if (client === undefined || sessionId === undefined) return;
    try {
      const { rules } = await client.request("get_approval_rules", {}, { timeoutMs: TIMEOUT_MS });
      this.#kept = { sessionId, rules: rules.filter(({ scope }) => scope === "session") };
    } catch (error) {
      this.#options.warn(`What was allowed for a session could not be read: ${errorMessage(error)}`);
    }
  }

  /** Passes them, once, to the agent that continues the same session. */
  async handOver(client: RpcClient | undefined, sessionId: string): Promise<void> {
    const kept = this.#kept;
    this.#kept = undefined;
    if (client === undefined || kept === undefined || kept.sessionId !== sessionId || kept.rules.length === 0) return;
    try {
      await client.request("add_approval_rules", { rules: [...kept.rules] });
    } catch (error) {
      this.#options.warn(`What was allowed for a session could not be handed over: ${errorMessage(error)}`);
    }
  }
}
