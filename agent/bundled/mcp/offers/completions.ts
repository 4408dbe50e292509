import { hasInvisible } from "../../../util/visible-text.ts";
import type { CompletionPlace } from "../server-features.ts";
import type { OfferingServer } from "./offer-book.ts";

const MAX_CHARACTERS = 200;

/** Returns the values that a server suggests, without duplicates and those that can't be shown; none if the request fails. */
export async function suggestedValues(
  server: OfferingServer,
  place: CompletionPlace,
  signal: AbortSignal,
): Promise<string[]> {
  if (!server.canComplete) return [];
  const values = await server.request((features) => features.complete(place, signal), signal).catch(() => []);
  const isUsable = (value: string) => value !== "" && value.length <= MAX_CHARACTERS && !hasInvisible(value);
  return [...new Set(values.filter(isUsable))];
}
