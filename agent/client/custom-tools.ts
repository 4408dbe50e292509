import type { InputContent } from "../protocol/content.ts";
import type {
  HostToolCall,
  HostToolDefinition,
  HostToolResult,
  HostToolUpdate,
  ToolResultPayload,
} from "../protocol/host-tools.ts";

/** The result of a tool: text, or content blocks with the tool's own details. `isError` marks a failure. */
export type CustomToolResult =
  | string
  | { readonly content: InputContent[]; readonly details?: unknown; readonly isError?: boolean };

/** The context of one tool call. */
export interface CustomToolCall {
  /** The id of the call in the conversation, as the tool events have it. */
  readonly toolCallId: string;
  /** Tells what there is so far; each update replaces the one before. Without effect after the call is over. */
  update(partialResult: CustomToolResult): void;
  /** Aborts when the result is no longer wanted: the run was stopped, or the connection closed. */
  readonly signal: AbortSignal;
}

/** A tool of the host. `run` gets arguments that fit `parameters`; what it throws becomes an error result. */
export interface CustomTool extends HostToolDefinition {
  run(args: Record<string, unknown>, call: CustomToolCall): CustomToolResult | Promise<CustomToolResult>;
}

type Send = (frame: HostToolResult | HostToolUpdate) => void;

/** Runs the tools of the host, and ends every call with one result. */
export class CustomTools {
  readonly #send: Send;
  readonly #running = new Map<string, AbortController>();
  #tools: ReadonlyMap<string, CustomTool> = new Map();

  constructor(send: Send) {
    this.#send = send;
  }

  /** Calls under way for a tool that is no longer there go on. */
  replace(tools: readonly CustomTool[]): void {
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
  }

  /** Never rejects. */
  async run(call: HostToolCall): Promise<void> {
    const tool = this.#tools.get(call.toolName);
    if (tool === undefined) {
      this.#send(failure(call.id, `The host has no tool "${call.toolName}".`));
      return;
    }
    const controller = new AbortController();
    this.#running.set(call.id, controller);
    const isRunning = () => this.#running.get(call.id) === controller;
    let frame: HostToolResult;
    try {
      const result = await tool.run(call.arguments, {
        toolCallId: call.toolCallId,
        update: (partialResult) => {
          if (isRunning()) this.#send({ type: "host_tool_update", id: call.id, partialResult: payload(partialResult) });
        },
        signal: controller.signal,
      });
      const isError = typeof result !== "string" && result.isError === true ? { isError: true } : {};
      frame = { type: "host_tool_result", id: call.id, result: payload(result), ...isError };
    } catch (error) {
      frame = failure(call.id, error instanceof Error ? error.message : String(error));
    }
    if (!isRunning()) return;
    this.#running.delete(call.id);
    this.#send(frame);
  }

  /** The agent does not want the result of this call any more. */
  cancel(id: string): void {
    const controller = this.#running.get(id);
    this.#running.delete(id);
    controller?.abort(new Error("The agent cancelled this tool call."));
  }

  /** Cancels all calls, because the connection has ended. */
  cancelAll(): void {
    for (const id of [...this.#running.keys()]) this.cancel(id);
  }
}

/** The part of a tool that goes to the agent. */
export function toolDefinition(tool: CustomTool): HostToolDefinition {
  const { name, label, description, parameters, hidden, readOnly } = tool;
  return { name, label, description, parameters, hidden, readOnly };
}

function payload(result: CustomToolResult): ToolResultPayload {
  if (typeof result === "string") return { content: [textBlock(result)] };
  return { content: result.content, details: result.details };
}

function failure(id: string, message: string): HostToolResult {
  return { type: "host_tool_result", id, result: { content: [textBlock(message)] }, isError: true };
}

function textBlock(text: string): InputContent {
  return { type: "text", text };
}
