import type { ServerFeatures } from "../server-features.ts";
import {
  type McpPrompt,
  type McpResource,
  type McpTemplate,
  readPrompts,
  readResources,
  readTemplates,
} from "./read-offers.ts";

/** Lists that a server reports as changed together. */
export type OfferKind = "resources" | "prompts";

/** The resources and prompts of one server, as it last listed them. */
export class OfferBook {
  resources: readonly McpResource[] = [];
  templates: readonly McpTemplate[] = [];
  prompts: readonly McpPrompt[] = [];
  readonly #onChanged: () => void;
  #last: Promise<void> = Promise.resolve();

  /** @param onChanged is called after each change. */
  constructor(onChanged: () => void) {
    this.#onChanged = onChanged;
  }

  /** Reads lists, after any that are being read. @throws the error of the server or the connection. */
  read(kinds: readonly OfferKind[], features: ServerFeatures, signal: AbortSignal): Promise<void> {
    const reading = this.#last.then(async () => {
      for (const kind of kinds) await this.#read(kind, features, signal);
      this.#onChanged();
    });
    this.#last = reading.catch(() => undefined);
    return reading;
  }

  /** Clears all lists, because the server has ended. */
  clear(): void {
    if (this.resources.length + this.templates.length + this.prompts.length === 0) return;
    this.resources = [];
    this.templates = [];
    this.prompts = [];
    this.#onChanged();
  }

  async #read(kind: OfferKind, features: ServerFeatures, signal: AbortSignal): Promise<void> {
    if (kind === "prompts") {
      if (features.hasPrompts) this.prompts = readPrompts(await features.list("prompts", signal));
      return;
    }
    if (!features.hasResources) return;
    const [resources, templates] = await Promise.all([
      features.list("resources", signal),
      features.list("templates", signal),
    ]);
    this.resources = readResources(resources);
    this.templates = readTemplates(templates);
  }
}

/** A server with resources and prompts, running or not. */
export interface OfferingServer {
  readonly name: string;
  readonly offers: OfferBook;
  /** True if the server can complete values. */
  readonly canComplete: boolean;
  /**
   * Sends a request to the server, after a sign-in if it needs one.
   * @throws Error for people when the server isn't running or fails.
   */
  request<T>(work: (features: ServerFeatures) => Promise<T>, signal: AbortSignal): Promise<T>;
}
