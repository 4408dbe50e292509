import { z } from "zod";
import type { CallResult, RunHooks } from "../loop/loop-host.ts";
import { InputContent } from "../protocol/content.ts";
import type { ToolCallEvent, ToolResultEvent } from "./api.ts";
import type { ExtensionRunner } from "./runner.ts";

const Block = z.object({
  block: z.literal(true),
  reason: z.string().optional(),
  terminate: z.boolean().optional(),
});

const ResultChange = z.object({ content: z.array(InputContent), details: z.unknown(), isError: z.boolean() }).partial();

/** Lets extensions look at what runs do, and change it. */
export function createRunHooks(runner: ExtensionRunner): RunHooks {
  return {
    async toolCall({ toolCallId, tool, args }, signal) {
      if (!runner.handles("tool_call")) return undefined;
      const event: ToolCallEvent = {
        type: "tool_call",
        toolName: tool.name,
        toolCallId,
        input: structuredClone(args), // what the model said stays as it is
      };
      let block: z.infer<typeof Block> | undefined;
      const take = (result: unknown) => {
        block = Block.safeParse(result).data;
        return block !== undefined;
      };
      await runner.ask(event, take, { signal, isStrict: true });
      signal.throwIfAborted(); // a handler that was left behind has said nothing
      if (block === undefined) return { args: event.input };
      return { block: block.reason || "Tool execution was blocked", terminate: block.terminate };
    },
    async toolResult({ toolCallId, tool, args }, result, signal) {
      if (!runner.handles("tool_result")) return result;
      const { content, details, isError } = result;
      const event: ToolResultEvent = {
        type: "tool_result",
        toolName: tool.name,
        toolCallId,
        input: args,
        content,
        details,
        isError,
      };
      let changed: CallResult = result;
      const take = (given: unknown) => {
        const change = ResultChange.safeParse(given);
        if (change.success) {
          changed = { ...changed, ...change.data };
          Object.assign(event, change.data); // the next handler sees what this one made of it
        }
        return false;
      };
      await runner.ask(event, take, { signal });
      return changed;
    },
  };
}
