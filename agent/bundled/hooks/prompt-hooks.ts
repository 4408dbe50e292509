import type { ExtensionAPI } from "../../extensions/author.ts";
import type { HookDesk } from "./hook-desk.ts";

type Queue = "steer" | "followUp" | "nextTurn";

/** Adds handlers that run hooks before the model reads something of the user. */
export const addPromptHooks = {
  SessionStart({ api, run }: HookDesk): (() => void)[] {
    const start = async (source: string, ctx: Parameters<typeof run>[1]) => {
      const { block, context } = await run({ event: "SessionStart", names: [source], fields: { source } }, ctx);
      if (block !== undefined) ctx.ui.notify(block, "warning");
      tellModel(api, context, "nextTurn");
    };
    return [
      api.on("session_start", async ({ reason }, ctx) => {
        if (reason === "reload") return;
        const isOld = ctx.sessionManager.getEntries().some(({ type }) => type === "message");
        await start(reason === "new" ? "clear" : isOld ? "resume" : "startup", ctx);
      }),
      api.on("session_compact", (_event, ctx) => start("compact", ctx)),
    ];
  },
  UserPromptSubmit({ api, run }: HookDesk): (() => void)[] {
    return [
      api.on("input", async ({ text, source, streamingBehavior }, ctx) => {
        if (source !== "rpc") return undefined;
        const { block, stop, context } = await run({ event: "UserPromptSubmit", fields: { prompt: text } }, ctx);
        const refusal = stop ?? block;
        if (refusal !== undefined) {
          ctx.ui.notify(`A hook didn't accept the message: ${refusal}`, "warning");
          return { action: "handled" };
        }
        tellModel(api, context, ctx.isIdle() ? "nextTurn" : (streamingBehavior ?? "nextTurn"));
        return undefined;
      }),
    ];
  },
};

function tellModel(api: ExtensionAPI, context: string, deliverAs: Queue): void {
  if (context !== "") api.sendMessage({ customType: "hook", content: context, display: false }, { deliverAs });
}
