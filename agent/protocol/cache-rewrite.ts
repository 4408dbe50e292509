import * as z from "zod";

/**
 * What made a provider read a conversation anew. `history`: earlier messages were changed by something that no other cause names, such as an
 * extension. `images`: there were more than a request may carry. `refusal`: a part that the provider refused is no longer sent.
 */
export const CacheRewriteCause = z.enum([
  "model",
  "expired",
  "tools",
  "system_prompt",
  "thinking_level",
  "compaction",
  "pruning",
  "branch",
  "refusal",
  "shortening",
  "images",
  "history",
]);
export type CacheRewriteCause = z.infer<typeof CacheRewriteCause>;

/** Why a provider couldn't use what it had read before. `reason` is for people; the lists name tools. */
export const CacheRewrite = z.object({
  cause: CacheRewriteCause,
  reason: z.string(),
  added: z.array(z.string()).optional(),
  removed: z.array(z.string()).optional(),
  changed: z.array(z.string()).optional(),
});
export type CacheRewrite = z.infer<typeof CacheRewrite>;
