import type { HookDesk } from "./hook-desk.ts";

/** Adds handlers that run hooks when a run would end, and before a compaction. */
export const addRunHooks = {
  Stop({ api, run }: HookDesk): (() => void)[] {
    let isContinued = false;
    return [
      api.on("agent_end", async ({ messages, willRetry, willContinue }, ctx) => {
        const last = messages.findLast(({ role }) => role === "assistant");
        const isDone = last?.role === "assistant" && last.stopReason !== "error" && last.stopReason !== "aborted";
        if (willRetry || willContinue || !isDone) return;
        const { block, stop } = await run({ event: "Stop", fields: { stop_hook_active: isContinued } }, ctx);
        if (stop !== undefined) ctx.ui.notify(stop, "warning");
        if (stop !== undefined || block === undefined || ctx.signal?.aborted === true) return;
        isContinued = true;
        const content = `A hook asks you to continue:\n${block}`;
        api.sendMessage({ customType: "hook", content, display: true }, { deliverAs: "followUp", triggerTurn: true });
      }),
      api.on("agent_settled", () => {
        isContinued = false;
      }),
    ];
  },
  PreCompact({ api, run }: HookDesk): (() => void)[] {
    return [
      api.on("session_before_compact", async ({ reason, customInstructions = "" }, ctx) => {
        const trigger = reason === "manual" ? "manual" : "auto";
        const fields = { trigger, custom_instructions: customInstructions };
        const { block, stop } = await run({ event: "PreCompact", names: [trigger], fields }, ctx);
        const refusal = stop ?? block;
        if (refusal === undefined) return undefined;
        ctx.ui.notify(`A hook didn't allow the compaction: ${refusal}`, "warning");
        return { cancel: true };
      }),
    ];
  },
};
