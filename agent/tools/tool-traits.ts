import * as z from "zod";

/**
 * How the model and other tools reach a tool. `direct` and `model-only` tools are declared to the model, and so are `codemode` and `deferred`
 * ones unless they can be searched for; tools can call all but `model-only` ones. Nobody reaches a `hidden` one.
 */
export const ToolExposure = z.enum(["direct", "model-only", "codemode", "deferred", "hidden"]);
export type ToolExposure = z.infer<typeof ToolExposure>;

/** The exposure of the tools of an MCP server. `codemode-deferred` is an older name. */
export const McpExposure = z.preprocess((value) => (value === "codemode-deferred" ? "codemode" : value), ToolExposure);

/** Hints of its author about what a tool does, with the meaning that MCP gives them. Nobody has verified them. */
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

/** What a tool says about itself beyond its definition for the model. */
export interface ToolTraits {
  /** By default `direct`. */
  readonly exposure?: ToolExposure | undefined;
  readonly annotations?: ToolAnnotations | undefined;
  readonly namespace?: ToolNamespace | undefined;
  /** JSON Schema of the `structuredContent` of its results. */
  readonly outputSchema?: Record<string, unknown> | undefined;
}
