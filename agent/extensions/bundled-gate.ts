import * as z from "zod";
import type { ToolGate } from "../loop/loop-host.ts";
import { EditedChange } from "../protocol/dialogs.ts";
import type { ToolCallEvent } from "./extension-events.ts";
import type { ExtensionRunner } from "./runner.ts";

const Block = z.lazy(() =>
  z.object({ block: z.literal(true), reason: z.string().optional(), isDenied: z.boolean().optional() }),
);
const Allowed = z.lazy(() =>
  z.union([
    z.object({ edited: EditedChange }),
    z.object({ isUnasked: z.literal(true) }),
    z.object({ isContained: z.literal(true), isReadOnly: z.boolean().optional() }),
    z.object({ previewId: z.string() }),
  ]),
);

/**
 * Puts the `tool_call` handlers of bundled extensions before a gate. They come after those of everybody else and see the arguments that
 * the tool will get; what they change in them does not count, but they may tell what the user wants changed instead.
 */
export function createBundledGate(runner: ExtensionRunner, next: ToolGate): ToolGate {
  return async (call, signal) => {
    if (!runner.handles("tool_call", "bundled")) return next(call, signal);
    const { toolCallId, tool, args } = call;
    const event: ToolCallEvent = {
      type: "tool_call",
      toolName: tool.name,
      toolCallId,
      input: structuredClone(args),
    };
    let block: z.infer<typeof Block> | undefined;
    let allowed: z.infer<typeof Allowed> | undefined;
    const take = (result: unknown) => {
      block = Block.safeParse(result).data;
      allowed = Allowed.safeParse(result).data ?? allowed;
      return block !== undefined;
    };
    await runner.ask(event, take, { signal, isStrict: true, of: "bundled" });
    signal.throwIfAborted(); // a handler that was left behind has said nothing
    if (block !== undefined) return { block: block.reason ?? "", isDenied: block.isDenied };
    return (await next(call, signal)) ?? allowed;
  };
}
