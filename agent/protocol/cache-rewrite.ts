import * as z from "zod";

/**
 * The reason why a provider couldn't use its cache. `history`: earlier messages were changed in a way that no other cause names, such as by an
 * extension. `images`: there were more than a request may contain. `refusal`: content that the provider refused is no longer sent.
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

/** The details of a rewritten cache. `reason` is for people; the lists name tools. */
export const CacheRewrite = z.object({
  cause: CacheRewriteCause,
  reason: z.string(),
  added: z.array(z.string()).optional(),
  removed: z.array(z.string()).optional(),
  changed: z.array(z.string()).optional(),
});
export type CacheRewrite = z.infer<typeof CacheRewrite>;
