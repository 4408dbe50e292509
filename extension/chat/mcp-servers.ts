import { t } from "../../webview/l10n.ts";
import type { Chat } from "./chat.ts";

const COMMAND = "mcp";

/** Lists the MCP servers, as `/mcp` does, or signs in to one. Rejects with a text for people if there are none. */
export async function manageMcpServers(chat: Pick<Chat, "request">, signInTo?: string): Promise<void> {
  const { commands } = await chat.request("get_commands", {});
  // Without the command, its name would be sent to the model as a message.
  if (!commands.some(({ name, source }) => name === COMMAND && source === "extension")) {
    throw new Error(t("There are no MCP servers. Add them to .mcp.json, .vscode/mcp.json, or .tiller/mcp.json."));
  }
  await chat.request("prompt", {
    message: [`/${COMMAND}`, ...(signInTo === undefined ? [] : ["sign-in", signInTo])].join(" "),
  });
}
