import type { z } from "zod";

/** An optional field of a command: `null` counts as absent. */
export function optional<T extends z.ZodType>(schema: T) {
  return schema.nullish().transform((value) => value ?? undefined);
}
