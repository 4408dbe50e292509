import { ProviderError } from "./provider.ts";

/** Reads the data of one event of a stream. @throws ProviderError when it is not JSON. */
export function parseEvent(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch (cause) {
    throw new ProviderError("server", `The model server sent an event that is not JSON: ${data.slice(0, 200)}`, {
      cause,
    });
  }
}
