import type { ExtensionAPI, ExtensionContext, InputEvent } from "../../../extensions/author.ts";
import type { SlashCommand } from "../../../protocol/commands.ts";
import type { McpResource, McpResourceContent } from "../../../protocol/mcp.ts";
import type { ToolNames } from "../tool-names.ts";
import { MessageOffers } from "./message-offers.ts";
import type { OfferingServer } from "./offer-book.ts";
import { PromptBook } from "./prompt-book.ts";
import { findResources } from "./resource-finder.ts";
import type { ResourcePlace } from "./resource-mentions.ts";
import { ResourceReader } from "./resource-reader.ts";
import { ResourceTools } from "./resource-tools.ts";

interface ServerOffersOptions {
  api: ExtensionAPI;
  servers(): readonly OfferingServer[];
  names: ToolNames;
}

/** The resources and prompts of all servers. */
export class ServerOffers {
  readonly #servers: () => readonly OfferingServer[];
  readonly #reader: ResourceReader;
  readonly #tools: ResourceTools;
  readonly #prompts: PromptBook;
  readonly #messages: MessageOffers;

  constructor({ api, servers, names }: ServerOffersOptions) {
    this.#servers = servers;
    this.#reader = new ResourceReader(servers);
    this.#tools = new ResourceTools(api, servers, this.#reader);
    this.#prompts = new PromptBook(servers, names);
    this.#messages = new MessageOffers({ api, servers, reader: this.#reader, prompts: this.#prompts });
  }

  /** The slash commands for prompts. */
  get commands(): SlashCommand[] {
    return this.#prompts.commands;
  }

  find(query: string, signal: AbortSignal): Promise<McpResource[]> {
    return findResources(query, this.#servers(), signal);
  }

  /** @throws Error for people. */
  read(place: ResourcePlace, signal: AbortSignal): Promise<McpResourceContent> {
    return this.#reader.read(place, signal);
  }

  /** Handles a user message that may mention resources or call a prompt. */
  expand(event: InputEvent, ctx: ExtensionContext) {
    return this.#messages.expand(event, ctx);
  }

  /** Called when servers change their resources or prompts, and when one was restarted. */
  changed(): void {
    this.#tools.offer(this.#servers().some(({ offers }) => offers.resources.length + offers.templates.length > 0));
    this.#reader.followAgain();
  }

  noteChange(server: string, uri: string): void {
    this.#reader.noteChange(server, uri);
  }

  /** Returns news about resources that the model has read, each only once; undefined if there is none. */
  takeNews(): string | undefined {
    const lines = this.#reader.takeChanges();
    if (lines.length === 0) return undefined;
    return ["These MCP resources have changed since they were read:", ...lines].join("\n");
  }

  /** Resets what the model has read and cancels requests, because another session begins. */
  sessionEnded(): void {
    this.#reader.forget();
    this.#messages.sessionEnded();
  }
}
