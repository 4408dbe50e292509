import type { ExtensionAPI, ExtensionContext } from "../../extensions/author.ts";
import type { McpParts } from "./mcp-parts.ts";
import type { McpServers } from "./mcp-servers.ts";

const COMMAND = "mcp";

/**
 * Creates the extension that gives the model the tools of MCP servers. Reads the files and starts the servers at the
 * first prompt; each later prompt checks whether the files have changed. Loads nothing without a file.
 */
export function createMcpExtension(parts: McpParts): (api: ExtensionAPI) => void {
  return (api) => {
    let servers: Promise<McpServers> | undefined;
    let newest: ExtensionContext | undefined;
    let hasCommand = false;
    const ownNames = new Set<string>();
    const load = async () => {
      const { McpServers } = await import("./mcp-servers.ts");
      const context = () => {
        if (newest === undefined) throw new Error("No handler has run yet.");
        return newest;
      };
      return new McpServers({ api, parts, context, ownNames });
    };
    const started = async (ctx: ExtensionContext, onWait?: McpParts["waiting"]) => {
      newest = ctx;
      servers ??= load();
      const loaded = await servers;
      await loaded.update();
      await loaded.start(onWait);
      return loaded;
    };
    const offerCommand = () => {
      if (hasCommand) return;
      hasCommand = true;
      api.registerCommand(COMMAND, {
        description: "Show MCP servers, restart one, or sign in",
        handler: async (_args, ctx) => (await started(ctx)).show(ctx),
      });
    };
    if (parts.files().length > 0) offerCommand();
    api.on("before_agent_start", async ({ systemPrompt }, ctx) => {
      if (servers === undefined && parts.files().length === 0) return undefined;
      offerCommand();
      const instructions = (await started(ctx, parts.waiting)).instructions();
      return instructions === "" ? undefined : { systemPrompt: systemPrompt + instructions };
    });
    api.on("session_shutdown", async ({ reason }) => {
      // Another session continues with the same servers.
      if (reason === "new" || reason === "resume" || reason === "fork") return (await servers)?.sessionEnded();
      const ending = servers;
      servers = undefined; // a reload reads the files anew
      await (await ending)?.stop();
    });
  };
}
