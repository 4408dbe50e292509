import * as z from "zod";
import { DraftCopy } from "./protocol/draft.ts";
import type { FromPanel } from "./protocol/from-panel.ts";

declare function acquireVsCodeApi(): {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
};

/** State that the page keeps across a reload. */
export const KeptState = z.object({
  /** Second copy of the draft; the host has the first. */
  draft: DraftCopy.default({ chat: "", text: "", at: 0 }),
  /** Which cards the user has opened (`true`) or closed (`false`), by item id. */
  openCards: z.record(z.string(), z.boolean()).default({}),
  isPlanOpen: z.boolean().default(false),
  /** The user has hidden the banner; it comes back when another model was used in between. */
  isBannerHidden: z.boolean().default(false),
});
export type KeptState = z.infer<typeof KeptState>;

/** The page's way to its host. */
export interface Host {
  post(message: FromPanel): void;
  kept(): KeptState;
  keep(change: Partial<KeptState>): void;
}

/** Most opened cards that are remembered; the oldest are forgotten first. */
const MAX_KEPT_CARDS = 200;

/** Takes hold of the editor's interface, which may be done once per page load. */
export function connectHost(): Host {
  const api = acquireVsCodeApi();
  let kept = KeptState.parse({});
  const stored = KeptState.safeParse(api.getState() ?? {});
  if (stored.success) kept = stored.data;
  return {
    post: (message) => api.postMessage(message),
    kept: () => kept,
    keep(change) {
      kept = { ...kept, ...change };
      const cards = Object.entries(kept.openCards);
      if (cards.length > MAX_KEPT_CARDS) kept.openCards = Object.fromEntries(cards.slice(-MAX_KEPT_CARDS));
      api.setState(kept);
    },
  };
}
