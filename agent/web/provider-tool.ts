import * as z from "zod";
import type { Model } from "../protocol/model.ts";
import type { ServerTool } from "../providers/provider.ts";
import { hasServerTool } from "../providers/server-tools.ts";
import { type AnyTool, defineTool } from "../tools/tool.ts";

/** Makes a tool that the model's provider runs itself. The model is told of it while its provider has it. */
export function providerTool(serverTool: ServerTool, model: () => Model | undefined): AnyTool {
  const isOffered = () => {
    const selected = model();
    return selected !== undefined && hasServerTool(selected, serverTool);
  };
  const traits = { concurrency: "shared", isReadOnly: true, isOffered, serverTool, run } as const;
  return serverTool === "search"
    ? defineTool({
        ...traits,
        name: "web_search",
        description: "Searches the web.",
        input: z.object({ query: z.string() }),
        promptSnippet: "Search the web",
        summarize: ({ query }) => query,
      })
    : defineTool({
        ...traits,
        name: "web_fetch",
        description: "Reads a page of the web.",
        input: z.object({ url: z.string() }),
        promptSnippet: "Read a page of the web",
        summarize: ({ url }) => url,
      });
}

async function run(): Promise<never> {
  throw new Error("The provider of the model runs this tool; the agent can't.");
}
