import { ProviderError } from "./provider.ts";

const SHOWN_CHARACTERS = 200;

/** Reads the data of one event of a stream. @throws ProviderError when it is not JSON. */
export function parseEvent(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch (cause) {
    throw badEvent("that is not JSON", data, cause);
  }
}

/** Parses text as JSON; undefined if it isn't JSON, such as an error page of a proxy. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the error for an event that is JSON, but not as the API describes it. */
export function wrongShape(data: string, cause: unknown): ProviderError {
  return badEvent("of the wrong shape", data, cause);
}

function badEvent(problem: string, data: string, cause: unknown): ProviderError {
  const shown = data.slice(0, SHOWN_CHARACTERS);
  return new ProviderError("server", `The model server sent an event ${problem}: ${shown}`, { cause });
}
