import type { Model } from "../../agent/protocol/model.ts";
import { CATALOGUE } from "../../agent/providers/catalogue.ts";
import type { Provider, ProviderEvent, ProviderRequest } from "../../agent/providers/provider.ts";
import { addDelta } from "../../agent/providers/reply-stream.ts";

/** A model of the catalogue, pointed at another server. */
export function modelAt(id: string, baseUrl: string): Model {
  const model = CATALOGUE.find((one) => one.id === id);
  if (model === undefined) throw new Error(`The catalogue has no ${id}.`);
  return { ...model, baseUrl };
}

/** A small request, with the given parts in place of its own. */
export function requestFor(model: Model, parts: Partial<ProviderRequest> = {}): ProviderRequest {
  return {
    model,
    systemPrompt: "Be brief.",
    messages: [{ role: "user", content: [{ type: "text", text: "Hello" }], timestamp: 1 }],
    tools: [],
    thinkingLevel: "low",
    apiKey: "test-key",
    signal: new AbortController().signal,
    ...parts,
  };
}

/** All events of one reply, in order. Deltas of a block that follow each other are one, whether or not they came together. */
export async function collect(provider: Provider, request: ProviderRequest): Promise<ProviderEvent[]> {
  const events: ProviderEvent[] = [];
  for await (const batch of provider.stream(request)) {
    for (const event of batch) {
      if ("delta" in event) addDelta(events, event);
      else events.push(event);
    }
  }
  return events;
}
