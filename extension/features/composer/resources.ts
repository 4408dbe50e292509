import type { McpResource } from "../../../agent/protocol/mcp.ts";
import type { ContextBlock, ContextSource } from "../../../webview/protocol/context.ts";
import type { PanelMention } from "../../../webview/protocol/to-panel.ts";
import type { Chat } from "../../chat/chat.ts";
import { resourceBlock } from "../../core/mentions/context-blocks.ts";
import { formatMention } from "../../core/mentions/mention-text.ts";

/** The maximum number of resources beside files. If the query names a server, all matches are listed. */
const MAX_BESIDE_FILES = 4;

/** Returns the resources of MCP servers that match a query; none if the agent isn't running or knows none. */
export async function resourceMatches(query: string, chat: Chat): Promise<PanelMention[]> {
  const client = await chat.agent.coming?.catch(() => undefined);
  if (client === undefined) return [];
  // Another agent may not know the command.
  const answer = await client.request("find_mcp_resources", { query }).catch(() => undefined);
  const resources = answer?.resources ?? [];
  const isOfServer = resources.some(({ server }) => query.startsWith(`${server}:`));
  return (isOfServer ? resources : resources.slice(0, MAX_BESIDE_FILES)).map(toMention);
}

/** Reads a resource as the agent attaches it. Rejects with the reason when it can't be read. */
export async function readResource(
  { server, uri, name }: Extract<ContextSource, { kind: "resource" }>,
  chat: Chat,
): Promise<ContextBlock> {
  const { text, cut, images } = await chat.request("read_mcp_resource", { server, uri });
  const content = [text, ...images.map(({ mimeType }) => `[${mimeType}]`)].filter((part) => part !== "").join("\n");
  return resourceBlock({ name, server, uri, content, ...(cut === undefined ? {} : { cut }) });
}

function toMention({ server, uri, name, description, isPartial }: McpResource): PanelMention {
  const insert = formatMention({ kind: "path", path: `${server}:${uri}` });
  const detail = [server, uri, description].filter(Boolean).join(" · ");
  const mention = { insert, label: name, detail, isFolder: isPartial, isResource: true };
  if (isPartial) return mention;
  const source = { kind: "resource" as const, server, uri, name };
  const chip = { kind: "context" as const, id: uri, mark: insert, source, label: name, detail: server, note: uri };
  return { ...mention, attachment: chip };
}
