import * as z from "zod";

const failureFields = { message: z.unknown().optional(), type: z.unknown().optional(), code: z.unknown().optional() };

/** A failure, as a response of its own or within a stream; older versions of vLLM send it without `error` around it. */
export const ServiceError = z.union([
  z.object({
    error: z.union([
      z
        .string()
        .min(1)
        .transform((message) => ({ message, type: "" })),
      z.object(failureFields).transform(toFailure),
    ]),
  }),
  z.object({ object: z.literal("error"), ...failureFields }).transform((error) => ({ error: toFailure(error) })),
]);

function toFailure(given: { message?: unknown; type?: unknown; code?: unknown }): { message: string; type: string } {
  return { message: word(given.message) || JSON.stringify(given), type: word(given.code) || word(given.type) };
}

function word(value: unknown): string {
  return typeof value === "string" ? value : "";
}
