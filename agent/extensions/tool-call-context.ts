import { errorMessage } from "../protocol/errors.ts";
import { type CallOutcome, type ToolContext, type ToolOutput, textOutput } from "../tools/tool.ts";
import type { ExtensionContext } from "./api-context.ts";
import type { ExecutedCall, ToolCallContext } from "./api-tool.ts";
import { toolInfo } from "./tool-info.ts";

/** Creates the context of a running tool from that of its extension. */
export function toolCallContext(
  context: ExtensionContext,
  { toolCallId, callTool, callableTools }: ToolContext,
): ToolCallContext {
  const fresh: ExtensionContext = Object.create(context); // its getters go on to say what is so now
  const own: Pick<ToolCallContext, "tools" | "executeTool"> = {
    tools: (callableTools?.() ?? []).map(toolInfo),
    async executeTool(name, args, { signal, onUpdate } = {}) {
      const call = { type: "toolCall" as const, id: toolCallId, name, arguments: {} };
      if (callTool === undefined) return executed({ call, ...failed("Tools can't call other tools here.") });
      try {
        return executed(await callTool(name, args, { signal, onUpdate }));
      } catch (error) {
        return executed({ call, ...failed(errorMessage(error)) });
      }
    },
  };
  return Object.assign(fresh, own);
}

function failed(text: string): { output: ToolOutput; isError: boolean } {
  return { output: textOutput(text), isError: true };
}

function executed({ call, output, isError, durationMs }: CallOutcome): ExecutedCall {
  const { content, details, structuredContent, usage, terminate } = output;
  return {
    toolCall: call,
    result: {
      content,
      details,
      ...(structuredContent === undefined ? {} : { structuredContent }),
      ...(usage === undefined ? {} : { usage }),
      ...(terminate === undefined ? {} : { terminate }),
      isError,
    },
    isError,
    ...(durationMs === undefined ? {} : { durationMs }),
  };
}
