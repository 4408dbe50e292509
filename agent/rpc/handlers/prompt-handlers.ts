import type { CommandParams, Disposition } from "../../protocol/commands.ts";
import { AgentError } from "../../protocol/errors.ts";
import type { QueueName } from "../../session/queue.ts";
import { abortWork } from "../abort-work.ts";
import { DONE, type Handlers, type Reply } from "./handler.ts";
import { readLocale } from "./locale.ts";
import type { Services } from "./services.ts";

type PromptReply = Reply<{ disposition: Disposition }>;

/** Commands that talk to the model: prompts, the queue and the end of a run. */
export function promptHandlers({ session, held, lanes }: Services) {
  const { selection } = session.options;
  const start = (command: string, params: CommandParams<"abort_and_prompt">): PromptReply => {
    requireText(command, params);
    selection.require();
    if (params.locale !== undefined) session.modes.locale = readLocale(params.locale);
    return {
      data: { disposition: "started" },
      afterResponse: session.accept(params.message, params.images ?? []),
    };
  };
  const enqueue = async (command: string, queue: QueueName, params: CommandParams<"steer">): Promise<PromptReply> => {
    requireText(command, params);
    await session.enqueue(queue, params.message, params.images ?? []);
    return { data: { disposition: "queued" } };
  };
  const hold = (command: string, params: CommandParams<"prompt">): PromptReply => {
    requireText(command, params);
    if (params.locale !== undefined) session.modes.locale = readLocale(params.locale);
    return { data: { disposition: "queued" }, afterResponse: held.add(params.message, params.images ?? []) };
  };
  return {
    prompt(params, { command, isHeld }) {
      if (isHeld) return hold(command, params);
      if (!session.isStreaming && !held.hasWaiting) return start(command, params);
      if (params.streamingBehavior === undefined) {
        throw new AgentError(
          "busy",
          "Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue the message.",
        );
      }
      return enqueue(command, params.streamingBehavior === "steer" ? "steering" : "followUp", params);
    },
    steer: (params, { command }) => enqueue(command, "steering", params),
    follow_up: (params, { command }) => enqueue(command, "followUp", params),
    async abort() {
      await abortWork({ session, held, lanes });
      return DONE;
    },
    async abort_and_prompt(params, { command }) {
      await session.abort();
      return start(command, params);
    },
    abort_retry() {
      session.cancelRetry();
      return DONE;
    },
    async clear_queue() {
      const dropped = held.drop();
      const { steering, followUp } = await session.clearQueue();
      const released = dropped.release();
      if (!session.isStreaming) await released; // an active run is not waited for
      return { data: { steering, followUp: [...followUp, ...dropped.texts] } };
    },
  } satisfies Partial<Handlers>;
}

function requireText(command: string, { message, images }: CommandParams<"steer">): void {
  if (message.trim() === "" && (images ?? []).length === 0) {
    throw new AgentError("invalid_request", `${command}: "message" must not be empty`);
  }
}
