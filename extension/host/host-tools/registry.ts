import type * as vscode from "vscode";
import type { ControlFrame } from "../../../agent/protocol/frames.ts";
import type { HostToolCall, HostToolDefinition, ToolResultPayload } from "../../../agent/protocol/host-tools.ts";
import type { ChangeTracker } from "../changes/change-tracker.ts";
import { type Cancellation, createCancellation } from "./cancellation.ts";
import { recordChanges } from "./editor-link.ts";
import { type HostToolChat, type HostToolContext, HostToolFailed, textResult } from "./host-tool.ts";
import type { HostToolSet } from "./host-tool-set.ts";
import { SessionNeeds, type ToolNeed } from "./tool-needs.ts";

interface RunnerOptions {
  readonly hostTools: HostToolSet;
  readonly chat: HostToolChat;
  readonly changes: Pick<ChangeTracker, "before" | "after">;
  /** Reports an unexpected error, in contrast to a failure that the model reads. */
  failed(toolName: string, error: unknown): void;
}

/** Runs the agent's calls and sends exactly one result for each that is not cancelled. */
export class HostToolRunner {
  readonly #options: RunnerOptions;
  readonly #running = new Map<string, Cancellation>();
  readonly #needs = new SessionNeeds();

  constructor(options: RunnerOptions) {
    this.#options = options;
  }

  get definitions(): HostToolDefinition[] {
    return this.#options.hostTools.all(this.#needsNow()).map((tool) => tool.definition);
  }

  get ownDefinitions(): HostToolDefinition[] {
    return this.#options.hostTools.own(this.#needsNow()).map((tool) => tool.definition);
  }

  /** Runs a call. Resolves when it is over, however it ended; at once when it is cancelled, without waiting for its tool. */
  async call(call: HostToolCall, send: (frame: ControlFrame) => void): Promise<void> {
    const cancellation = createCancellation();
    this.#running.set(call.id, cancellation);
    const update = (text: string) => {
      const isWanted = this.#running.has(call.id);
      if (isWanted) send({ type: "host_tool_update", id: call.id, partialResult: textResult(text) });
    };
    const cancelled = new Promise<undefined>((resolve) => {
      cancellation.token.onCancellationRequested(() => resolve(undefined));
    });
    const outcome = await Promise.race([this.#run(call, cancellation.token, update), cancelled]);
    const isWanted = this.#running.delete(call.id);
    if (!isWanted || outcome === undefined) return;
    const { result, isError } = outcome;
    send({ type: "host_tool_result", id: call.id, result, ...(isError ? { isError } : {}) });
  }

  /** Cancels a call whose result the agent no longer wants. */
  cancel(callId: string): void {
    const cancellation = this.#running.get(callId);
    this.#running.delete(callId);
    cancellation?.cancel();
  }

  cancelAll(): void {
    for (const id of [...this.#running.keys()]) this.cancel(id);
  }

  async #run(
    call: HostToolCall,
    token: vscode.CancellationToken,
    update: (text: string) => void,
  ): Promise<{ result: ToolResultPayload; isError: boolean }> {
    const tools = this.#options.hostTools.all(this.#needsNow());
    const tool = tools.find(({ definition }) => definition.name === call.toolName);
    if (tool === undefined) {
      const known = tools.map(({ definition }) => definition.name).join(", ");
      return { result: textResult(`The editor has no tool "${call.toolName}". It has: ${known}`), isError: true };
    }
    try {
      return { result: await tool.run(call.arguments, this.#context(call, token, update)), isError: false };
    } catch (error) {
      if (!(error instanceof HostToolFailed)) this.#options.failed(call.toolName, error);
      return { result: textResult(error instanceof Error ? error.message : String(error)), isError: true };
    }
  }

  #needsNow(): ReadonlySet<ToolNeed> {
    const { hostTools, chat } = this.#options;
    return this.#needs.of(chat.session, (need) => hostTools.isThere(need));
  }

  #context(
    { toolCallId, toolName }: HostToolCall,
    token: vscode.CancellationToken,
    update: (text: string) => void,
  ): HostToolContext {
    const { chat, changes, failed } = this.#options;
    const { session, folder, isKeyboardInChat } = chat;
    const about = { session, folder, toolCallId, toolName };
    return {
      ...about,
      isKeyboardInChat,
      token,
      update,
      ask: (question) => chat.ask(question, untilCancelled(token)),
      recordChanges: (paths, work) =>
        recordChanges(changes, about, paths, () => {
          // Recording the state before takes a moment, in which the call may have been cancelled.
          if (token.isCancellationRequested) throw new HostToolFailed("Canceled; nothing changed.");
          return work();
        }),
      failed: (error) => failed(toolName, error),
    };
  }
}

function untilCancelled(token: vscode.CancellationToken): AbortSignal {
  const controller = new AbortController();
  token.onCancellationRequested(() => controller.abort());
  if (token.isCancellationRequested) controller.abort();
  return controller.signal;
}
