import type { AgentEvent } from "../../agent/protocol/events.ts";
import type { AgentMessage, AssistantMessage } from "../../agent/protocol/messages.ts";
import { formatDollars, t } from "../../webview/l10n.ts";
import type { PanelUi } from "../../webview/protocol/ui.ts";
import type { ModelName } from "./model-rows.ts";

/** The cost of a session that exceeded its limit, in US dollars; `wasStopped` when a run was stopped for it. */
export interface PassedLimit {
  readonly costUsd: number;
  readonly limitUsd: number;
  readonly wasStopped: boolean;
}

interface UsagePorts {
  /** Reads the cost of the whole session from the agent; undefined without an agent. */
  readonly readCost: () => Promise<number | undefined>;
  readonly show: (ui: Pick<PanelUi, "costUsd" | "costLimitUsd"> | Pick<PanelUi, "isCompacting">) => void;
  /** US dollars; 0 for none. */
  readonly limitUsd: () => number;
  readonly hasQueued: () => boolean;
  readonly stopRun: () => void;
  readonly passed: (limit: PassedLimit) => void;
  readonly failed: (error: unknown) => void;
}

/**
 * The usage of a session: the models that have answered, and their cost against the user's limit. The cost is read from the agent after each run
 * and counted along in between. A turn that has begun is paid for, so the limit can be exceeded by the cost of one turn.
 */
export class SessionUsage {
  readonly #ports: UsagePorts;
  #sessionId: string | undefined;
  #models: readonly ModelName[] = [];
  #costUsd = 0;
  #turns = 0;
  #raisedTo: number | undefined;
  #toldLimit: number | undefined;
  #wasStopped = false;

  constructor(ports: UsagePorts) {
    this.#ports = ports;
  }

  /** The models that have answered while this window watched, latest first. */
  get models(): readonly ModelName[] {
    return this.#models;
  }

  /** True when the last run was stopped by the limit. */
  get wasStopped(): boolean {
    return this.#wasStopped;
  }

  get costUsd(): number {
    return this.#costUsd;
  }

  /** The limit of this session, in US dollars; 0 for none. A raised limit counts until the setting is higher. */
  get limitUsd(): number {
    const setting = this.#ports.limitUsd();
    return setting === 0 ? 0 : Math.max(setting, this.#raisedTo ?? 0);
  }

  /** Updates the usage from a session that was read, perhaps another one than before. */
  take(sessionId: string, messages: readonly AgentMessage[]): void {
    if (sessionId !== this.#sessionId) {
      this.#sessionId = sessionId;
      this.#costUsd = 0;
      this.#raisedTo = undefined;
      this.#toldLimit = undefined;
      this.#wasStopped = false;
      this.#show();
    }
    this.#models = [];
    for (const message of messages) {
      if (message.role === "assistant") this.#saw(message);
    }
    void this.#read();
  }

  observe(event: AgentEvent): void {
    switch (event.type) {
      case "agent_start":
        this.#wasStopped = false;
        break;
      case "turn_end":
        this.#turns += 1;
        this.#saw(event.message);
        this.#costUsd += event.message.usage.cost.total;
        this.#show();
        this.#guardTurn(event.message);
        break;
      case "agent_settled":
        void this.#read().then(() => this.#guardEnd());
        break;
      case "compaction_start":
        this.#ports.show({ isCompacting: true });
        break;
      case "compaction_end":
        this.#ports.show({ isCompacting: false });
        void this.#read();
        break;
      default:
        break;
    }
  }

  /** Raises the limit of this session above the setting. */
  raiseLimit(limitUsd: number): void {
    this.#raisedTo = limitUsd;
    this.#toldLimit = undefined;
    this.#show();
  }

  #saw({ provider, model }: AssistantMessage): void {
    const name = `${provider}/${model}`;
    if (this.#models[0] !== name) this.#models = [name, ...this.#models.filter((other) => other !== name)];
  }

  async #read(): Promise<void> {
    const turns = this.#turns;
    const sessionId = this.#sessionId;
    try {
      const costUsd = await this.#ports.readCost();
      // It may lack a turn that has ended since; the end of that run reads it again.
      if (costUsd === undefined || turns !== this.#turns || sessionId !== this.#sessionId) return;
      this.#costUsd = costUsd;
      this.#show();
    } catch (error) {
      this.#ports.failed(error);
    }
  }

  #show(): void {
    const { limitUsd } = this;
    // A cost of zero may as well mean that the price is unknown.
    this.#ports.show({
      costUsd: this.#costUsd > 0 ? this.#costUsd : undefined,
      costLimitUsd: limitUsd > 0 ? limitUsd : undefined,
    });
  }

  #isPassed(): boolean {
    return this.limitUsd > 0 && this.#costUsd > this.limitUsd;
  }

  #guardTurn({ stopReason }: AssistantMessage): void {
    const goesOn = stopReason === "toolUse" || this.#ports.hasQueued();
    if (!goesOn || !this.#isPassed()) return;
    this.#wasStopped = true;
    this.#ports.stopRun();
    this.#tell(true);
  }

  /** Reports a run that exceeded the limit and ended by itself, once for each limit. */
  #guardEnd(): void {
    if (this.#isPassed() && this.#toldLimit !== this.limitUsd) this.#tell(false);
  }

  #tell(wasStopped: boolean): void {
    this.#toldLimit = this.limitUsd;
    this.#ports.passed({ costUsd: this.#costUsd, limitUsd: this.limitUsd, wasStopped });
  }
}

/** Formats the message for the user. */
export function wordPassedLimit({ costUsd, limitUsd, wasStopped }: PassedLimit): string {
  const [cost, limit] = [formatDollars(costUsd), formatDollars(limitUsd)];
  return wasStopped
    ? t("This session has cost {0}, which is over your limit of {1}. Tiller stopped the run.", cost, limit)
    : t("This session has cost {0}, which is over your limit of {1}.", cost, limit);
}
