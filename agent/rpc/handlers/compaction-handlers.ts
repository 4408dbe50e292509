import type { Services } from "../services/services.ts";
import { DONE, type Handlers } from "./handler.ts";

/** Commands about the summary that takes the place of old history. */
export function compactionHandlers({ session }: Services) {
  return {
    async compact({ customInstructions }) {
      return { data: await session.compact(customInstructions) };
    },
    set_auto_compaction({ enabled }) {
      session.modes.isAutoCompactionOn = enabled;
      return DONE;
    },
  } satisfies Partial<Handlers>;
}
