import * as vscode from "vscode";
import type { AgentMessage } from "../../agent/protocol/messages.ts";
import type { Chat } from "../chat.ts";
import { toolCallIdOf } from "../transcript/transcript-state.ts";

const SCHEME = "tiller-tool";

/** Shows tool calls whole, as read-only documents. The page has only their ends. */
export class ToolDocuments implements vscode.Disposable {
  readonly #chat: Chat;
  readonly #provider: vscode.Disposable;

  constructor(chat: Chat) {
    this.#chat = chat;
    this.#provider = vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
      provideTextDocumentContent: (uri) => this.#read(uri.query),
    });
  }

  async open(itemId: string): Promise<void> {
    const item = this.#chat.transcript.item(itemId);
    if (item?.kind !== "tool") return;
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${item.toolName}.txt`, query: itemId });
    await vscode.window.showTextDocument(uri, { preview: true });
  }

  dispose(): void {
    this.#provider.dispose();
  }

  async #read(itemId: string): Promise<string> {
    const callId = toolCallIdOf(itemId);
    const { messages } = await this.#chat.request("get_messages", {});
    const whole = callId === undefined ? undefined : describeCall(messages, callId);
    if (whole !== undefined) return whole;
    // A call that runs, or that a compaction has dropped, is not among the messages: what the page has is all there is.
    const item = this.#chat.transcript.item(itemId);
    return item?.kind === "tool" ? `${item.input}\n\n${item.output}` : "";
  }
}

function describeCall(messages: readonly AgentMessage[], callId: string): string | undefined {
  const calls = messages.flatMap((message) => (message.role === "assistant" ? message.content : []));
  const call = calls.find((block) => block.type === "toolCall" && block.id === callId);
  const result = messages.find((message) => message.role === "toolResult" && message.toolCallId === callId);
  if (call?.type !== "toolCall" || result?.role !== "toolResult") return undefined;
  const output = result.content.map((block) => (block.type === "text" ? block.text : `[${block.mimeType}]`)).join("\n");
  return `${call.name} ${JSON.stringify(call.arguments, null, 2)}\n\n${output}\n`;
}
