import * as z from "zod";
import { ImageContent } from "./content.ts";

/** A resource of an MCP server. One that is partial begins a URI whose rest is still to be written. */
export const McpResource = z.lazy(() =>
  z.object({
    server: z.string(),
    uri: z.string(),
    name: z.string(),
    description: z.string().optional(),
    mimeType: z.string().optional(),
    isPartial: z.boolean(),
  }),
);
export type McpResource = z.infer<typeof McpResource>;

/** The content of a resource as the model gets it; `cut` says how much of its text is left out. */
export const McpResourceContent = z.lazy(() =>
  z.object({
    text: z.string(),
    cut: z.string().optional(),
    mimeType: z.string().optional(),
    images: z.array(ImageContent),
  }),
);
export type McpResourceContent = z.infer<typeof McpResourceContent>;
