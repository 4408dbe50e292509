import type { SessionConfigOption } from "@agentclientprotocol/sdk";
import type { FrameClient } from "../client/frame-client.ts";
import { PermissionMode } from "../protocol/approvals.ts";
import { ThinkingLevel } from "../protocol/model.ts";
import { configOptions, MODE_OPTION, MODEL_OPTION, modelValue, THINKING_OPTION } from "./config-options.ts";
import { invalidParams } from "./errors.ts";
import type { SessionFacts } from "./session-facts.ts";

/** Changes what can be chosen in a session, and tells the client. */
export class SessionChoices {
  readonly #client: FrameClient;
  readonly #facts: SessionFacts;

  constructor(client: FrameClient, facts: SessionFacts) {
    this.#client = client;
    this.#facts = facts;
  }

  /** @throws RequestError for an unknown mode. */
  async setMode(modeId: string): Promise<void> {
    const mode = PermissionMode.safeParse(modeId);
    if (!mode.success) throw invalidParams(`There is no mode "${modeId}". Modes: ${PermissionMode.options.join(", ")}`);
    await this.#client.request("set_permission_mode", { mode: mode.data, enforce: true });
    await this.#facts.tellChoices();
  }

  /** @throws RequestError for an unknown option or value. */
  async setOption(id: string, value: string | boolean): Promise<SessionConfigOption[]> {
    if (typeof value !== "string") throw invalidParams(`The option "${id}" takes one of its values.`);
    if (id === MODE_OPTION) await this.setMode(value);
    else if (id === MODEL_OPTION) await this.#setModel(value);
    else if (id === THINKING_OPTION) await this.#setThinking(value);
    else
      throw invalidParams(`There is no option "${id}". Options: ${MODE_OPTION}, ${MODEL_OPTION}, ${THINKING_OPTION}`);
    return configOptions(await this.#facts.tellChoices());
  }

  async #setModel(value: string): Promise<void> {
    const { models } = await this.#facts.choices();
    const model = models.find((one) => modelValue(one) === value);
    if (model === undefined) throw invalidParams(`There is no model "${value}". Choose one of the option's values.`);
    await this.#client.request("set_model", { provider: model.provider, modelId: model.id });
  }

  async #setThinking(value: string): Promise<void> {
    const level = ThinkingLevel.safeParse(value);
    const { levels } = await this.#facts.choices();
    if (!level.success || !levels.includes(level.data)) {
      throw invalidParams(`There is no thinking level "${value}". Levels: ${levels.join(", ")}`);
    }
    await this.#client.request("set_thinking_level", { level: level.data });
  }
}
