import * as z from "zod";
import { type AnyTool, defineTool, type ToolOutput } from "./tool.ts";
import { TOOL_SEARCH } from "./tool-names.ts";

const MAX_QUERIES = 10;

/** Finds tools, and declares them to the model from the next request on. */
export type FindTools = (queries: readonly string[]) => Promise<ToolOutput>;

const ToolSearchInput = z.object({
  queries: z
    .array(z.string().min(1))
    .min(1)
    .max(MAX_QUERIES)
    .describe('Each is what a tool should do, such as "create github issue", or the exact name of a tool'),
});

const DESCRIPTION =
  "Finds more tools by what they do, and loads the best matches: you can call those from your next step on, and keep them. Search before you say that you can't do something, and give several queries at once if you need several tools.";

/** Creates the tool that finds undeclared tools. It is offered only while there are any. */
export function toolSearchTool(find: FindTools): AnyTool {
  return defineTool({
    name: TOOL_SEARCH,
    description: DESCRIPTION,
    input: ToolSearchInput,
    concurrency: "shared",
    isReadOnly: true,
    isOffered: () => false,
    summarize: ({ queries }) => queries.join(", "),
    run: ({ queries }) => find(queries),
  });
}
