import type { ExtensionAPI, ExtensionContext } from "../../extensions/author.ts";
import type { McpParts } from "./mcp-parts.ts";
import type { McpServers } from "./mcp-servers.ts";

const COMMAND = "mcp";
/** A message that may call a prompt of a server. */
const MAY_CALL = /^\/mcp__/;
/** A message that may mention a resource. */
const MAY_MENTION = /@"?[^@\n]{1,300}?:/;

/**
 * Creates the extension that gives the model the tools and resources of MCP servers, and the user their resources and
 * prompts. Reads the files and starts the servers at the first prompt, or when the user looks for resources; each later
 * prompt checks whether the files have changed. Loads nothing without a server.
 */
export function createMcpExtension(parts: McpParts): (api: ExtensionAPI) => void {
  return (api) => {
    let servers: Promise<McpServers> | undefined;
    let loaded: McpServers | undefined;
    let newest: ExtensionContext | undefined;
    let isOffered = false;
    /** Settles when the servers that an extension registered last have started. */
    let changed: Promise<void> = Promise.resolve();
    const ownNames = new Set<string>();
    const hasServers = () => parts.files().length + api.getMcpServers().length > 0;
    const load = async () => {
      const { McpServers } = await import("./mcp-servers.ts");
      const context = () => {
        if (newest === undefined) throw new Error("No handler has run yet.");
        return newest;
      };
      loaded = new McpServers({ api, parts, context, ownNames });
      return loaded;
    };
    const updated = async (ctx: ExtensionContext) => {
      newest = ctx;
      servers ??= load();
      const all = await servers;
      await all.update();
      return all;
    };
    const started = async (ctx: ExtensionContext, onWait?: McpParts["waiting"]) => {
      const all = await updated(ctx);
      await all.start(onWait);
      return all;
    };
    /** Does work that no handler waits for. Starts nothing without a server, or before the session. */
    const startedForHost = async () => {
      if (newest === undefined || (servers === undefined && !hasServers())) return undefined;
      offer();
      return started(newest);
    };
    const offer = () => {
      if (isOffered) return;
      isOffered = true;
      api.registerCommand(COMMAND, {
        description: "Show MCP servers, restart one, or sign in",
        handler: async (args, ctx) => (await started(ctx)).show(ctx, args),
      });
      api.on("input", async (event, ctx) => {
        const isCall = MAY_CALL.test(event.text);
        if (event.source !== "rpc" || !(isCall || MAY_MENTION.test(event.text))) return undefined;
        const all = await updated(ctx);
        if (!isCall && !all.isMentionedIn(event.text)) return undefined;
        // No run has begun yet, so the status says what the message waits for.
        let isTold = false;
        await all.start((names) => {
          isTold = true;
          ctx.ui.setStatus(COMMAND, `Starting MCP servers: ${names.join(", ")}`);
        });
        if (isTold) ctx.ui.setStatus(COMMAND);
        return all.offers.expand(event, ctx);
      });
    };
    if (hasServers()) offer();
    let search = new AbortController();
    parts.offerDesk({
      get commands() {
        return loaded?.offers.commands ?? [];
      },
      async find(query) {
        search.abort(); // only the newest query needs an answer
        search = new AbortController();
        const { signal } = search;
        return (await startedForHost())?.offers.find(query, signal) ?? [];
      },
      async read(place) {
        const all = await startedForHost();
        if (all === undefined) throw new Error("There are no MCP servers.");
        return all.offers.read(place, new AbortController().signal);
      },
    });
    api.on("session_start", (_event, ctx) => {
      newest = ctx;
    });
    api.on("mcp_servers_change", async (_event, ctx) => {
      if (servers === undefined && !hasServers()) return;
      offer();
      const starting = started(ctx);
      changed = starting.then(
        () => undefined,
        () => undefined,
      );
      await starting;
    });
    api.on("before_agent_start", async ({ systemPrompt }, ctx) => {
      if (servers === undefined && !hasServers()) return undefined;
      offer();
      await (await servers)?.awaitStart(changed, parts.waiting); // a server that is starting isn't waited for again
      const all = await started(ctx, parts.waiting);
      const instructions = all.instructions();
      const news = all.offers.takeNews();
      return {
        ...(instructions === "" ? {} : { systemPrompt: systemPrompt + instructions }),
        ...(news === undefined ? {} : { message: { customType: "mcp_resources", content: news, display: false } }),
      };
    });
    api.on("session_shutdown", async ({ reason }) => {
      // Another session continues with the same servers.
      if (reason === "new" || reason === "resume" || reason === "fork") return (await servers)?.sessionEnded();
      const ending = servers;
      servers = undefined; // a reload reads the files anew
      loaded = undefined;
      await (await ending)?.stop();
    });
  };
}
