import * as z from "zod";

/**
 * The ways in which the model and other tools reach a tool. `direct` and `model-only` tools are declared to the model, and so are `codemode` and
 * `deferred` ones if the search is off. Other tools can call all but `model-only` ones. A `hidden` tool can't be called at all.
 */
export const ToolExposure = z.enum(["direct", "model-only", "codemode", "deferred", "hidden"]);
export type ToolExposure = z.infer<typeof ToolExposure>;

/** The exposure of an MCP server's tools. `codemode-deferred` is an older name. */
export const McpExposure = z.preprocess((value) => (value === "codemode-deferred" ? "codemode" : value), ToolExposure);

/** The author's hints about the behavior of a tool, as MCP defines them. They are unverified. */
export const ToolAnnotations = z.lazy(() =>
  z
    .object({
      title: z.string(),
      readOnlyHint: z.boolean(),
      destructiveHint: z.boolean(),
      idempotentHint: z.boolean(),
      openWorldHint: z.boolean(),
    })
    .partial(),
);
export type ToolAnnotations = z.infer<typeof ToolAnnotations>;

/** A group of related tools, such as those of an MCP server. */
export const ToolNamespace = z.lazy(() =>
  z.object({
    name: z.string().min(1),
    aliases: z.array(z.string()).optional(),
    description: z.string().optional(),
    instructions: z.string().optional(),
  }),
);
export type ToolNamespace = z.infer<typeof ToolNamespace>;

/** Properties of a tool beyond its definition for the model. */
export interface ToolTraits {
  /** Default: `direct`. */
  readonly exposure?: ToolExposure | undefined;
  readonly annotations?: ToolAnnotations | undefined;
  readonly namespace?: ToolNamespace | undefined;
  /** The JSON Schema of its results' `structuredContent`. */
  readonly outputSchema?: Record<string, unknown> | undefined;
  /** For a tool that reaches others: `"all"`, or the words of the arguments that may name them. */
  readonly reachesTools?: ((input: Record<string, unknown>) => "all" | readonly string[]) | undefined;
}
