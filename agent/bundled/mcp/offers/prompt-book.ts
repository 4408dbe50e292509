import { splitAttached } from "../../../protocol/attached.ts";
import type { SlashCommand } from "../../../protocol/commands.ts";
import type { ToolNames } from "../tool-names.ts";
import type { OfferingServer } from "./offer-book.ts";
import { argumentHint } from "./prompt-arguments.ts";
import type { McpPrompt } from "./read-offers.ts";

const CALL = /^\/(mcp__[\w-]+)(?:\s+([\s\S]*))?$/;

/** A prompt that a message calls. */
export interface PromptCall {
  server: OfferingServer;
  prompt: McpPrompt;
  /** The text after its name. */
  args: string;
}

/** The slash commands for servers' prompts, named like their tools: `mcp__<server>__<prompt>`. */
export class PromptBook {
  readonly #servers: () => readonly OfferingServer[];
  readonly #names: ToolNames;

  constructor(servers: () => readonly OfferingServer[], names: ToolNames) {
    this.#servers = servers;
    this.#names = names;
  }

  /** The commands as hosts receive them. */
  get commands(): SlashCommand[] {
    return this.#all().map(({ name, server, prompt }) => {
      const hint = argumentHint(prompt.arguments);
      return {
        name,
        description: prompt.description ?? prompt.title ?? "",
        source: "prompt",
        sourceInfo: { path: `<mcp:${server.name}>`, source: "mcp", scope: "temporary", origin: "top-level" },
        ...(hint === "" ? {} : { argumentHint: hint }),
      };
    });
  }

  /** Returns the prompt that a message calls; undefined if no server has such a prompt. */
  find(message: string): PromptCall | undefined {
    const [, name, args = ""] = CALL.exec(splitAttached(message).text) ?? [];
    const found = name === undefined ? undefined : this.#all().find((one) => one.name === name);
    return found && { server: found.server, prompt: found.prompt, args: args.trim() };
  }

  #all() {
    return this.#servers().flatMap((server) =>
      server.offers.prompts.map((prompt) => ({ name: this.#names.nameOf(server.name, prompt.name), server, prompt })),
    );
  }
}
