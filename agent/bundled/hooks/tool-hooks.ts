import type { InputContent } from "../../protocol/content.ts";
import type { HookDesk } from "./hook-desk.ts";
import { hookInput, hookToolName, inputFromHook, matchedNames } from "./hook-tools.ts";

/** Adds handlers that run hooks around a call of a tool. */
export const addToolHooks = {
  PreToolUse({ api, parts, run }: HookDesk): (() => void)[] {
    return [
      api.on("tool_call", async ({ toolName, toolCallId, input }, ctx) => {
        const sent = hookInput(toolName, input, ctx.cwd);
        const fields = { tool_name: hookToolName(toolName), tool_input: sent, tool_use_id: toolCallId };
        const names = matchedNames(toolName);
        const { block, stop, permission, updatedInput } = await run({ event: "PreToolUse", names, fields }, ctx);
        if (stop !== undefined) {
          ctx.ui.notify(stop, "warning");
          ctx.abort();
        }
        const reason = block ?? stop;
        if (reason !== undefined) return { block: true, reason };
        if (updatedInput !== undefined) replace(input, inputFromHook(toolName, updatedInput, sent, ctx.cwd));
        parts.wish(toolCallId, permission);
        return undefined;
      }),
    ];
  },
  PostToolUse({ api, run }: HookDesk): (() => void)[] {
    return [
      api.on("tool_result", async ({ toolName, toolCallId, input, content, isError }, ctx) => {
        if (isError) return undefined;
        const fields = {
          tool_name: hookToolName(toolName),
          tool_input: hookInput(toolName, input, ctx.cwd),
          tool_response: { content: content.map(withoutData) },
          tool_use_id: toolCallId,
        };
        const names = matchedNames(toolName);
        const { block, stop, context } = await run({ event: "PostToolUse", names, fields }, ctx);
        if (stop !== undefined) {
          ctx.ui.notify(stop, "warning");
          ctx.abort();
        }
        const texts = [block, context].filter((text) => text !== undefined && text !== "");
        if (texts.length === 0) return undefined;
        return { content: [...content, { type: "text", text: `A hook says about this call:\n${texts.join("\n")}` }] };
      }),
    ];
  },
};

function replace(input: Record<string, unknown>, next: Record<string, unknown>): void {
  for (const name of Object.keys(input)) delete input[name];
  Object.assign(input, next);
}

/** Images can be large, and a command can do little with them. */
function withoutData(block: InputContent): object {
  return block.type === "image" ? { type: "image", mimeType: block.mimeType } : block;
}
