import type { AvailableCommand } from "@agentclientprotocol/sdk";
import { ConnectionClosed } from "../client/client-errors.ts";
import type { FrameClient } from "../client/frame-client.ts";
import type { CommandResult, Disposition } from "../protocol/commands.ts";
import { errorMessage } from "../protocol/errors.ts";
import { type Choices, configOptions } from "./config-options.ts";
import type { SessionFeed } from "./updates/session-feed.ts";

const COMPACT = /^\/compact(?:\s+([\s\S]*))?$/;

/** A slash command that is no prompt template, skill, or command of an extension. */
export interface OwnCommand {
  run(client: FrameClient): Promise<{ disposition: Disposition }>;
}

/** Returns the command that a message is. */
export function ownCommand(message: string): OwnCommand | undefined {
  const found = COMPACT.exec(message.trim());
  if (found === null) return undefined;
  const customInstructions = found[1];
  return {
    async run(client) {
      await client.request("compact", { customInstructions });
      return { disposition: "handled" };
    },
  };
}

const OWN: readonly AvailableCommand[] = [
  {
    name: "compact",
    description: "Summarize the conversation to make room in the context window",
    input: { hint: "what to keep" },
  },
];

/** Tells the client what has changed beside the conversation: commands, choices, and usage. */
export class SessionFacts {
  readonly #client: FrameClient;
  readonly #feed: SessionFeed;
  #toldCommands = "";
  #toldChoices = "";
  #toldUsage = "";

  constructor(client: FrameClient, feed: SessionFeed) {
    this.#client = client;
    this.#feed = feed;
  }

  state(): Promise<CommandResult<"get_state">> {
    return this.#client.request("get_state", { omit: ["systemPrompt", "dumpTools"] });
  }

  async choices(): Promise<Choices> {
    const [state, { models }, { levels }] = await Promise.all([
      this.state(),
      this.#client.request("get_available_models", {}),
      this.#client.request("get_available_thinking_levels", {}),
    ]);
    return { state, models, levels };
  }

  /** Returns the choices for the answer that opens the session. */
  async firstChoices(): Promise<Choices> {
    const choices = await this.choices();
    this.#toldChoices = JSON.stringify(configOptions(choices));
    return choices;
  }

  /** Tells everything that has changed. Never rejects. */
  async tell(): Promise<void> {
    try {
      await Promise.all([this.#tellCommands(), this.tellChoices()]);
    } catch (error) {
      report(error);
    }
  }

  /** Tells what can be chosen, and what is chosen, if that has changed. */
  async tellChoices(): Promise<Choices> {
    const choices = await this.choices();
    const options = configOptions(choices);
    const told = JSON.stringify(options);
    if (told === this.#toldChoices) return choices;
    this.#toldChoices = told;
    this.#feed.send({ sessionUpdate: "current_mode_update", currentModeId: choices.state.permissionMode });
    this.#feed.send({ sessionUpdate: "config_option_update", configOptions: options });
    return choices;
  }

  /** Tells how full the context window is, and the cost of the session. Never rejects. */
  async tellUsage(): Promise<void> {
    try {
      const { contextUsage, cost } = await this.#client.request("get_session_stats", {});
      if (contextUsage?.tokens == null) return;
      const { tokens: used, contextWindow: size } = contextUsage;
      const told = `${used} ${size} ${cost}`;
      if (told === this.#toldUsage) return;
      this.#toldUsage = told;
      this.#feed.send({ sessionUpdate: "usage_update", used, size, cost: { amount: cost, currency: "USD" } });
    } catch (error) {
      report(error);
    }
  }

  async #tellCommands(): Promise<void> {
    const { commands } = await this.#client.request("get_commands", {});
    const named = commands.filter(({ name }) => !OWN.some((own) => own.name === name));
    const availableCommands = [
      ...OWN,
      ...named.map(({ name, description = "", argumentHint }) => ({
        name,
        description,
        ...(argumentHint !== undefined && { input: { hint: argumentHint } }),
      })),
    ];
    const told = JSON.stringify(availableCommands);
    if (told === this.#toldCommands) return;
    this.#toldCommands = told;
    this.#feed.send({ sessionUpdate: "available_commands_update", availableCommands });
  }
}

/** A session that has just ended has nothing more to tell. */
function report(error: unknown): void {
  if (!(error instanceof ConnectionClosed)) console.error(`ACP: ${errorMessage(error)}`);
}
