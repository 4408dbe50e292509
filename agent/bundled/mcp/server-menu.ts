import type { ExtensionAPI, ExtensionUi } from "../../extensions/author.ts";
import { errorMessage } from "../../protocol/errors.ts";
import type { McpServer } from "./mcp-server.ts";
import type { ServerEntry } from "./server-config.ts";

const RESTART = "Restart";
const SHOW_TOOLS = "Show Tools";
const SIGN_IN = "Sign In";
const SIGN_IN_AGAIN = "Sign In Again";
const SIGN_OUT = "Sign Out";
const SIGN_INS = { signedOut: [SIGN_IN], signedIn: [SIGN_IN_AGAIN, SIGN_OUT] };

interface ListedServers {
  servers: readonly McpServer[];
  disabled: readonly ServerEntry[];
  /** True if the user allows a server to run. */
  mayRun(entry: ServerEntry): boolean;
  allTools: ExtensionAPI["getAllTools"];
}

/** Shows the state of the servers. The user can restart one, see its tools, and sign in or out. */
export async function showServers(ui: ExtensionUi, listed: ListedServers): Promise<void> {
  const { servers, disabled, mayRun, allTools } = listed;
  if (servers.length + disabled.length === 0) {
    ui.notify("No MCP servers are set up.", "warning");
    return;
  }
  const lines = new Map(servers.map((server) => [lineOf(server, mayRun), server]));
  const unused = disabled.map(({ name, file }) => `${name}: disabled in ${file.path}`);
  const server = lines.get((await ui.select("MCP servers", [...lines.keys(), ...unused])) ?? "");
  if (server === undefined) return;
  const { name, entry } = server;
  if (!mayRun(entry)) return ui.notify(notAllowed(name), "warning");
  const signIn = await server.signInState();
  const actions = [RESTART, SHOW_TOOLS, ...(signIn === undefined ? [] : SIGN_INS[signIn])];
  const action = await ui.select(`MCP server ${name}`, actions);
  if (action === SHOW_TOOLS) ui.notify([`Tools of ${name}:`, ...toolLines(server, allTools())].join("\n"), "info");
  else if (action !== undefined) await act(action, server, ui);
}

/** Signs in to the server of this name. */
export async function signInTo(name: string, ui: ExtensionUi, { servers, mayRun }: ListedServers): Promise<void> {
  const server = servers.find((one) => one.name === name);
  if (server === undefined) return ui.notify(`There is no MCP server "${name}".`, "warning");
  if (!mayRun(server.entry)) return ui.notify(notAllowed(name), "warning");
  if ((await server.signInState()) === undefined) return ui.notify(`${name} needs no sign-in.`, "info");
  await act(SIGN_IN, server, ui);
}

function notAllowed(name: string): string {
  return `${name} isn't allowed to run. To allow it, run /trust.`;
}

async function act(action: string, server: McpServer, ui: ExtensionUi): Promise<void> {
  if (action === SIGN_OUT) return signOut(server, ui);
  await (action === RESTART ? server.restart() : server.signIn());
  ui.notify(statusLine(server), server.state.kind === "running" ? "info" : "error");
}

async function signOut(server: McpServer, ui: ExtensionUi): Promise<void> {
  try {
    await server.signOut();
    ui.notify(`You have signed out of ${server.name}.`, "info");
  } catch (error) {
    ui.notify(`Couldn't sign out of ${server.name}: ${errorMessage(error)}`, "error");
  }
}

function toolLines({ toolNames }: McpServer, all: ReturnType<ExtensionAPI["getAllTools"]>): string[] {
  const tools = new Map(all.map((tool) => [tool.name, tool]));
  return toolNames.map((name) => (tools.get(name)?.deferred === true ? `${name} (found by search)` : name));
}

function lineOf(server: McpServer, mayRun: ListedServers["mayRun"]): string {
  return mayRun(server.entry) ? statusLine(server) : `${server.name}: not allowed (/trust)`;
}

function statusLine({ name, state, toolNames }: McpServer): string {
  switch (state.kind) {
    case "idle":
      return `${name}: not started`;
    case "starting":
      return `${name}: starting`;
    case "running":
      return `${name}: running, ${toolNames.length} ${toolNames.length === 1 ? "tool" : "tools"}`;
    case "failed":
      return `${name}: not running: ${state.reason}`;
  }
}
