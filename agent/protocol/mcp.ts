import * as z from "zod";
import { ImageContent } from "./content.ts";

/** A resource of an MCP server. If it is partial, `uri` is the beginning of a URI that the user has to complete. */
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

/** The content of a resource as the model receives it; `cut` says how much of its text is left out. */
export const McpResourceContent = z.lazy(() =>
  z.object({
    text: z.string(),
    cut: z.string().optional(),
    mimeType: z.string().optional(),
    images: z.array(ImageContent),
  }),
);
export type McpResourceContent = z.infer<typeof McpResourceContent>;
