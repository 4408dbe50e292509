import * as vscode from "vscode";
import * as z from "zod";
import type { AgentMessage, ToolResultMessage } from "../../../agent/protocol/messages.ts";
import { t } from "../../../webview/l10n.ts";
import type { Chat } from "../../chat/chat.ts";
import { withoutColors } from "../../core/transcript/colored-output.ts";
import { toolCallIdOf } from "../../core/transcript/transcript-state.ts";
import { type Sides, sidesOf } from "../../editor/edit-diff.ts";
import { textOf } from "../../editor/file-text.ts";
import type { Proposals } from "../../host/proposals/proposals.ts";
import { ToolImages } from "./tool-images.ts";

const SCHEME = "tiller-tool";
/** Larger outputs are named, not loaded: the editor could hardly show them. */
const MAX_FILE_BYTES = 20_000_000;
const FileDetails = z.object({ fullOutputPath: z.string().regex(/^(?![\\/]{2})/) });
const EditDetails = z.object({ patch: z.string() });

/** Shows complete tool calls as read-only documents, and edits as diffs. The page has only the ends of outputs. */
export class ToolDocuments implements vscode.Disposable {
  readonly images: ToolImages;
  readonly #chats: () => readonly Chat[];
  readonly #proposals: Proposals;
  readonly #provider: vscode.Disposable;

  /** @param chats returns the open chats; the ids of their items differ. */
  constructor(chats: () => readonly Chat[], proposals: Proposals) {
    this.#chats = chats;
    this.#proposals = proposals;
    this.images = new ToolImages((id) => this.#chatOf(id)?.transcript.item(id));
    this.#provider = vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
      provideTextDocumentContent: (uri) => this.#read(uri),
    });
  }

  async open(itemId: string): Promise<void> {
    const item = this.#chatOf(itemId)?.transcript.item(itemId);
    if (item?.kind !== "tool") return;
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${item.toolName}.txt`, query: itemId });
    await vscode.window.showTextDocument(uri, { preview: true });
  }

  /** Shows an edit, applied or proposed, in the editor's diff, against the present file where that is still possible. */
  async openDiff(itemId: string): Promise<void> {
    const chat = this.#chatOf(itemId);
    const item = chat?.transcript.item(itemId);
    if (item?.kind === "question") return this.#openProposal(item.requestId, chat);
    if (item?.kind !== "tool" || item.path === undefined) return;
    const file = vscode.Uri.file(item.path);
    const patch = await this.#patchOf(itemId);
    const sides = patch === undefined ? undefined : sidesOf(patch, await textOf(file));
    if (sides === undefined) throw new Error(t("This change is no longer available. Open the file instead."));
    const address = { scheme: SCHEME, path: file.path, query: itemId };
    const left = vscode.Uri.from({ ...address, fragment: "before" });
    const right = sides.isWhole ? file : vscode.Uri.from({ ...address, fragment: "after" });
    const title = `${vscode.workspace.asRelativePath(file)} (${sides.isWhole ? t("before this edit ↔ now") : t("changed lines only")})`;
    await vscode.commands.executeCommand("vscode.diff", left, right, title, { preview: true });
  }

  async #openProposal(requestId: string, chat: Chat | undefined): Promise<void> {
    const request = chat?.questions.pending.find((question) => question.request.id === requestId)?.request;
    if (request?.method !== "select") throw new Error(t("This change is no longer available. Open the file instead."));
    await this.#proposals.show(request);
  }

  dispose(): void {
    this.#provider.dispose();
    this.images.dispose();
  }

  async #patchOf(itemId: string): Promise<string | undefined> {
    const result = resultOf(await this.#messages(itemId), toolCallIdOf(itemId));
    return EditDetails.safeParse(result?.details).data?.patch;
  }

  async #sides(itemId: string, file: vscode.Uri): Promise<Sides | undefined> {
    const patch = await this.#patchOf(itemId);
    return patch === undefined ? undefined : sidesOf(patch, await textOf(file));
  }

  async #messages(itemId: string): Promise<readonly AgentMessage[]> {
    const answer = await this.#chatOf(itemId)?.request("get_messages", {});
    return answer?.messages ?? [];
  }

  #chatOf(itemId: string): Chat | undefined {
    return this.#chats().find((chat) => chat.transcript.item(itemId) !== undefined);
  }

  async #read({ query: itemId, fragment, path }: vscode.Uri): Promise<string> {
    if (fragment !== "") {
      const sides = await this.#sides(itemId, vscode.Uri.file(path));
      return (fragment === "before" ? sides?.before : sides?.after) ?? "";
    }
    const callId = toolCallIdOf(itemId);
    const whole = callId === undefined ? undefined : await describeCall(await this.#messages(itemId), callId);
    if (whole !== undefined) return whole;
    // A running call, or one that a compaction dropped, is not among the messages: the page has all there is.
    const item = this.#chatOf(itemId)?.transcript.item(itemId);
    return item?.kind === "tool" ? `${item.input}\n\n${withoutColors(item.output)}` : "";
  }
}

async function describeCall(messages: readonly AgentMessage[], callId: string): Promise<string | undefined> {
  const calls = messages.flatMap((message) => (message.role === "assistant" ? message.content : []));
  const call = calls.find((block) => block.type === "toolCall" && block.id === callId);
  const result = resultOf(messages, callId);
  if (call?.type !== "toolCall" || result === undefined) return undefined;
  const shown = result.content.map((block) => (block.type === "text" ? block.text : `[${block.mimeType}]`)).join("\n");
  const output = (await wholeOutput(result)) ?? shown;
  return `${call.name} ${JSON.stringify(call.arguments, null, 2)}\n\n${output}\n`;
}

function resultOf(messages: readonly AgentMessage[], callId: string | undefined): ToolResultMessage | undefined {
  const result = messages.find((message) => message.role === "toolResult" && message.toolCallId === callId);
  return result?.role === "toolResult" ? result : undefined;
}

/** Reads the output of a command from the file that the agent keeps when the model saw only the end. */
async function wholeOutput({ details }: ToolResultMessage): Promise<string | undefined> {
  const path = FileDetails.safeParse(details).data?.fullOutputPath;
  if (path === undefined) return undefined;
  const file = vscode.Uri.file(path);
  try {
    const { size } = await vscode.workspace.fs.stat(file);
    return size > MAX_FILE_BYTES ? undefined : await textOf(file);
  } catch {
    return undefined; // deleted, or on another machine
  }
}
