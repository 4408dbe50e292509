import * as z from "zod";

/** Lines of a document, 1-based, both inclusive; the argument of the commands for problems and selections. */
export const CodePlace = z.object({ uri: z.string(), startLine: z.int().positive(), endLine: z.int().positive() });
export type CodePlace = z.infer<typeof CodePlace>;
