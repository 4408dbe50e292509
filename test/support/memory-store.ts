import type { Store } from "../../extension/window/draft.ts";

/** Values that outlive a window, held in memory. */
export function memoryStore(values: Record<string, unknown> = {}): Store {
  const kept = new Map(Object.entries(values));
  return {
    get: (key) => kept.get(key),
    update: async (key, value) => {
      kept.set(key, value);
    },
  };
}
