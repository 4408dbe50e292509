// Building schemas takes a fifth of the agent's start. So those with more than a few fields are `z.lazy`, and the parts here are for the others.
import type { z } from "zod";

/** A command's row in the table of commands; its schemas are built when the command first comes. */
export function row<P extends z.ZodType, R extends z.ZodType>(
  build: () => { params: P; result: R },
): { readonly params: P; readonly result: R } {
  let built: { params: P; result: R } | undefined;
  const once = () => {
    built ??= build();
    return built;
  };
  return {
    get params() {
      return once().params;
    },
    get result() {
      return once().result;
    },
  };
}

/** Returns a function that returns the values of the field `tag` in the options of a discriminated union. */
export function tagsOf(union: z.ZodType, tag: string): () => ReadonlySet<string> {
  let tags: ReadonlySet<string> | undefined;
  return () => {
    tags ??= new Set([...(union._zod.propValues?.[tag] ?? [])].filter((value) => typeof value === "string"));
    return tags;
  };
}
