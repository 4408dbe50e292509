import * as vscode from "vscode";
import type { ControlFrame } from "../../agent/protocol/frames.ts";
import type { HostToolCall, HostToolDefinition, ToolResultPayload } from "../../agent/protocol/host-tools.ts";
import { getDiagnostics } from "./diagnostics.ts";
import { createDiffTool } from "./diff.ts";
import { type HostTool, HostToolFailed, textResult } from "./host-tool.ts";
import { openFile } from "./open-file.ts";
import { createCommandTool } from "./run-command.ts";
import { createSelectionTool } from "./selection.ts";

/** All editor actions that the agent gets. What they listen to ends with `subscriptions`. */
export function createHostTools(
  subscriptions: vscode.Disposable[],
  settings: { allowedCommands: () => readonly string[] },
): HostTool[] {
  return [
    openFile,
    getDiagnostics,
    createSelectionTool(subscriptions),
    createDiffTool(subscriptions),
    createCommandTool(settings.allowedCommands),
  ];
}

/** Runs the agent's calls and sends exactly one result for each that is not cancelled. */
export class HostToolRunner {
  readonly #tools: ReadonlyMap<string, HostTool>;
  readonly #failed: (toolName: string, error: unknown) => void;
  readonly #running = new Map<string, vscode.CancellationTokenSource>();

  /** @param failed is told of mistakes of ours, not of outcomes that the model is told. */
  constructor(tools: readonly HostTool[], failed: (toolName: string, error: unknown) => void) {
    this.#tools = new Map(tools.map((tool) => [tool.definition.name, tool]));
    this.#failed = failed;
  }

  get definitions(): HostToolDefinition[] {
    return [...this.#tools.values()].map((tool) => tool.definition);
  }

  /** Resolves when the call is over, however it ended. */
  async call(call: HostToolCall, send: (frame: ControlFrame) => void): Promise<void> {
    const source = new vscode.CancellationTokenSource();
    this.#running.set(call.id, source);
    const { result, isError } = await this.#run(call, source.token, (text) => {
      const isWanted = this.#running.has(call.id);
      if (isWanted) send({ type: "host_tool_update", id: call.id, partialResult: textResult(text) });
    });
    const isWanted = this.#running.delete(call.id);
    source.dispose();
    if (isWanted) send({ type: "host_tool_result", id: call.id, result, ...(isError ? { isError } : {}) });
  }

  /** The agent does not want this result any more. */
  cancel(callId: string): void {
    const source = this.#running.get(callId);
    this.#running.delete(callId);
    source?.cancel();
  }

  cancelAll(): void {
    for (const id of [...this.#running.keys()]) this.cancel(id);
  }

  async #run(
    call: HostToolCall,
    token: vscode.CancellationToken,
    update: (text: string) => void,
  ): Promise<{ result: ToolResultPayload; isError: boolean }> {
    const tool = this.#tools.get(call.toolName);
    if (tool === undefined) {
      const known = [...this.#tools.keys()].join(", ");
      return { result: textResult(`The editor has no tool "${call.toolName}". It has: ${known}`), isError: true };
    }
    try {
      return { result: await tool.run(call.arguments, { token, update }), isError: false };
    } catch (error) {
      if (!(error instanceof HostToolFailed)) this.#failed(call.toolName, error);
      return { result: textResult(error instanceof Error ? error.message : String(error)), isError: true };
    }
  }
}
