import type { SessionHost } from "../../extensions/session-host.ts";
import type { ImageContent, InputContent } from "../../protocol/content.ts";
import type { CustomMessage, UserMessage } from "../../protocol/messages.ts";
import type { Session } from "../../session/session.ts";
import type { Services } from "../services/services.ts";
import { inLane } from "../wire/in-lane.ts";

/** The part of the host by which extensions send messages. */
export function messagePart(services: Services): Pick<SessionHost, "sendMessage" | "sendUserMessage"> {
  const { session, extensions, texts, inputs } = services;
  return {
    async sendMessage(given, { deliverAs, triggerTurn }) {
      const message: CustomMessage = { ...given, role: "custom", timestamp: Date.now() };
      if (deliverAs === "nextTurn") session.opening.add(message);
      else if (session.isStreaming && triggerTurn !== false) {
        await session.enqueueMessage(deliverAs === "followUp" ? "followUp" : "steering", message);
      } else if (triggerTurn === true) await runWith(services, message);
      else await session.append(message);
    },
    async sendUserMessage(content, { deliverAs, expandPromptTemplates = false }) {
      const said = wordsOf(content);
      const command = expandPromptTemplates ? extensions.findCommand(said.text) : undefined;
      if (command !== undefined) return command.run();
      const streamingBehavior = deliverAs === undefined ? {} : { streamingBehavior: deliverAs };
      const shown = inputs.isWanted
        ? await inputs.decideInTime({ ...said, source: "extension", ...streamingBehavior })
        : said;
      if (shown === undefined) return;
      const send = (text: string) => sendAs(services, toUserMessage({ ...shown, text }), deliverAs);
      await (expandPromptTemplates ? texts.take(shown.text, send) : send(shown.text));
    },
  };
}

async function sendAs(
  services: Services,
  message: UserMessage,
  deliverAs: "steer" | "followUp" | undefined,
): Promise<void> {
  const { session } = services;
  if (!session.isStreaming) return runWith(services, message);
  if (deliverAs === undefined) {
    throw new Error("Agent is already processing. Specify deliverAs ('steer' or 'followUp') to queue the message.");
  }
  await session.enqueueMessage(deliverAs === "steer" ? "steering" : "followUp", message);
}

/** Has a run in its turn. Resolves when it is over; the next in the lane need not wait for that. */
async function runWith({ session, lanes }: Services, message: UserMessage | CustomMessage): Promise<void> {
  const { over } = await inLane(lanes, "lane", () => begin(session, message));
  await over;
}

/**
 * Begins a run; a run that began meanwhile gets the message as steering. @returns a promise that resolves when the new
 * run is over.
 */
async function begin(session: Session, message: UserMessage | CustomMessage): Promise<{ over?: Promise<void> }> {
  if (session.isStreaming) {
    await session.enqueueMessage("steering", message);
    return {};
  }
  session.options.selection.require();
  return { over: session.acceptMessage(message)() };
}

function wordsOf(content: string | readonly InputContent[]): { text: string; images: ImageContent[] } {
  const blocks = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  return {
    text: blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n"),
    images: blocks.filter((block) => block.type === "image"),
  };
}

function toUserMessage({ text, images }: { text: string; images: readonly ImageContent[] }): UserMessage {
  const blocks = text === "" ? [] : [{ type: "text" as const, text }];
  return { role: "user", content: [...blocks, ...images], timestamp: Date.now(), attribution: "agent" };
}
