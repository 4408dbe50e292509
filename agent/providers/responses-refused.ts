import type { Model } from "../protocol/model.ts";
import { ProviderError } from "./provider.ts";
import type { ResponsesRequest } from "./responses-wire.ts";

/** The parts of requests that services refused, and that later requests leave out. */
export class RefusedParts {
  readonly #thoughts = new Set<string>();
  readonly #models = new Set<string>();

  /** True if the service could not read this thought. @param id of the reasoning item. */
  hasThought(id: string): boolean {
    return this.#thoughts.has(id);
  }

  /** True if the service gives no summaries of what this model thinks. */
  hasSummaries(model: Model): boolean {
    return this.#models.has(nameOf(model));
  }

  /** Learns from a request that failed. @returns whether the same request can be sent with less. */
  learn(error: unknown, { reasoning, input }: ResponsesRequest, model: Model): boolean {
    const message = error instanceof ProviderError ? error.message : "";
    if (ABOUT_SUMMARIES.test(message)) {
      this.#models.add(nameOf(model));
      return reasoning?.summary !== undefined;
    }
    if (!ABOUT_THOUGHTS.test(message)) return false;
    const sent = input.flatMap((item) => ("type" in item && item.type === "reasoning" ? [item.id] : []));
    for (const id of sent) this.#thoughts.add(id);
    return sent.length > 0;
  }
}

/** OpenAI shows summaries only to organizations that it has verified. */
const ABOUT_SUMMARIES = /verified to generate reasoning summaries|\breasoning\.summary\b/i;
/** Another organization's key cannot read them, for one. */
const ABOUT_THOUGHTS = /\bencrypted content\b.*\bcould not be (?:verified|decrypted)/is;

function nameOf({ baseUrl, id }: Model): string {
  return `${baseUrl} ${id}`;
}
