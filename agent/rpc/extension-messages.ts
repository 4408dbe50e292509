import type { ExtensionHost, SendOptions } from "../extensions/host.ts";
import type { ExtensionMessage } from "../extensions/registrations.ts";
import type { InputContent } from "../protocol/content.ts";
import type { CustomMessage, UserMessage } from "../protocol/messages.ts";
import type { Session } from "../session/session.ts";
import type { Services } from "./handlers/services.ts";
import { inLane } from "./in-lane.ts";

/** How extensions put messages into the conversation. */
export function messagePart({ session, lanes }: Services): Pick<ExtensionHost, "sendMessage" | "sendUserMessage"> {
  return {
    async sendMessage(given: ExtensionMessage, options: SendOptions) {
      const message: CustomMessage = { ...given, role: "custom", timestamp: Date.now() };
      if (options.deliverAs === "nextTurn") session.opening.add(message);
      else if (session.isStreaming) {
        await session.enqueueMessage(options.deliverAs === "followUp" ? "followUp" : "steering", message);
      } else if (options.triggerTurn === true) await inLane(lanes, "lane", () => begin(session, message));
      else await session.append(message);
    },
    async sendUserMessage(content, deliverAs) {
      const message = toUserMessage(content);
      if (!session.isStreaming) return inLane(lanes, "lane", () => begin(session, message));
      if (deliverAs === undefined) {
        throw new Error("Agent is already processing. Specify deliverAs ('steer' or 'followUp') to queue the message.");
      }
      await session.enqueueMessage(deliverAs === "steer" ? "steering" : "followUp", message);
    },
  };
}

/** Begins a run; one that began meanwhile takes the message as steering. */
async function begin(session: Session, message: UserMessage | CustomMessage): Promise<void> {
  if (session.isStreaming) return session.enqueueMessage("steering", message);
  session.options.selection.require();
  session.acceptMessage(message)();
}

function toUserMessage(content: string | readonly InputContent[]): UserMessage {
  const blocks = typeof content === "string" ? [{ type: "text" as const, text: content }] : [...content];
  return { role: "user", content: blocks, timestamp: Date.now(), attribution: "agent" };
}
