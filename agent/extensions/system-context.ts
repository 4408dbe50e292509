import * as z from "zod";
import type { RequestContent } from "../loop/loop-host.ts";
import { AgentMessage } from "../protocol/messages.ts";
import { plainCopy } from "../util/plain-copy.ts";
import type { ExtensionRunner } from "./runner.ts";

const SystemMessage = z.looseObject({ role: z.literal("system") });
const Change = z.lazy(() => z.object({ messages: z.array(z.union([SystemMessage, AgentMessage])) }));

/** Passes a request to extensions with its instructions and tools as a leading system message; they may change all of it. */
export async function askWithSystem(
  runner: ExtensionRunner,
  content: RequestContent,
  signal: AbortSignal,
): Promise<RequestContent> {
  if (!runner.handles("context_with_system")) return content;
  const transcripts = await import("./providers/transcript.ts"); // few extensions want this
  const { systemPrompt, messages, tools } = content;
  const whole = plainCopy({ systemPrompt, messages: [...messages], tools: [...tools] });
  const event: { type: "context_with_system"; messages: unknown[] } = {
    type: "context_with_system",
    messages: transcripts.normalizeContext(whole).messages,
  };
  const take = (result: unknown) => {
    const change = Change.safeParse(result);
    if (change.success) event.messages = change.data.messages; // the next handler goes on from there
    return false;
  };
  await runner.ask(event, take, { signal });
  const read = Change.safeParse(event);
  if (!read.success) return content; // a handler broke them in place
  return {
    systemPrompt: transcripts.getCurrentSystemPrompt(event.messages),
    tools: transcripts.getCurrentTools(event.messages),
    messages: read.data.messages.flatMap((message) => (message.role === "system" ? [] : [message])),
  };
}
