import type { CommandParams, Disposition } from "../../protocol/commands.ts";
import { AgentError } from "../../protocol/errors.ts";
import type { Model } from "../../protocol/model.ts";
import type { QueueName } from "../../session/queue.ts";
import { messageLimit } from "../../util/long-messages.ts";
import { CHARACTERS_PER_TOKEN } from "../../util/token-estimate.ts";
import { formatSize } from "../../util/truncate.ts";
import type { Input } from "../services/input-hooks.ts";
import type { Services } from "../services/services.ts";
import type { Call, Reply } from "./handler.ts";
import { readLocale } from "./locale.ts";

/** The disposition of a message. */
export type PromptReply = Reply<{ disposition: Disposition }>;

/** Responds to a prompt that is undecided when the time is up. @returns undefined when it continues unchanged. */
export type Postpone = (decision: Promise<Input | undefined>) => PromptReply | undefined;

/** Delivers a message: it starts a run, joins a queue of the run, or waits until a run may start. */
export function promptIntake({ session, held, texts }: Pick<Services, "session" | "held" | "texts">) {
  const { selection } = session.options;
  const start = (command: string, params: CommandParams<"abort_and_prompt">): PromptReply => {
    requireText(command, params);
    requireFitting(params, selection.require());
    if (params.locale !== undefined) session.modes.locale = readLocale(params.locale);
    return {
      data: { disposition: "started" },
      afterResponse: session.accept(params.message, params.images ?? []),
    };
  };
  const enqueue = async (command: string, queue: QueueName, params: CommandParams<"steer">): Promise<PromptReply> => {
    requireText(command, params);
    requireFitting(params, selection.model);
    await session.enqueue(queue, params.message, params.images ?? []);
    return { data: { disposition: "queued" } };
  };
  const hold = (command: string, params: CommandParams<"prompt">): PromptReply => {
    requireText(command, params);
    requireFitting(params, selection.model);
    if (params.locale !== undefined) session.modes.locale = readLocale(params.locale);
    return { data: { disposition: "queued" }, afterResponse: held.add(params.message, params.images ?? []) };
  };
  const take = (params: CommandParams<"prompt">, { command, isHeld }: Call): PromptReply | Promise<PromptReply> => {
    if (isHeld) return hold(command, params);
    if (!session.isStreaming && !held.hasWaiting) return start(command, params);
    if (params.streamingBehavior === undefined) {
      throw new AgentError(
        "busy",
        "Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue the message.",
      );
    }
    return enqueue(command, params.streamingBehavior === "steer" ? "steering" : "followUp", params);
  };
  const postponing =
    (command: string, params: CommandParams<"abort_and_prompt">, isHeld: boolean): Postpone =>
    (decision) => {
      if (!isHeld && (session.isStreaming || held.hasWaiting)) return undefined;
      requireText(command, params);
      requireFitting(params, isHeld ? selection.model : selection.require());
      if (params.locale !== undefined) session.modes.locale = readLocale(params.locale);
      const expanded = decision.then(async (input) =>
        input === undefined ? undefined : { ...input, text: await texts.take(input.text, (text) => text) },
      );
      const disposition = isHeld ? "queued" : "started";
      return { data: { disposition }, afterResponse: held.addUndecided(params.message, expanded) };
    };
  const retry = (): PromptReply => {
    if (session.isStreaming || held.hasWaiting) {
      throw new AgentError("busy", "A run is active. Wait for it to finish, or stop it, and try again.");
    }
    selection.require();
    return { data: { disposition: "started" }, afterResponse: session.acceptRetry() };
  };
  return { start, enqueue, take, postponing, retry };
}

function requireText(command: string, { message, images }: CommandParams<"steer">): void {
  if (message.trim() === "" && (images ?? []).length === 0) {
    throw new AgentError("invalid_request", `${command}: "message" must not be empty`);
  }
}

/** @throws AgentError prompt_too_large if no request with the message could fit into the model's window. */
function requireFitting({ message }: CommandParams<"steer">, model: Model | undefined): void {
  if (model === undefined) return;
  const limit = messageLimit(model);
  const tokens = Math.ceil(message.length / CHARACTERS_PER_TOKEN);
  if (tokens <= limit) return;
  throw new AgentError(
    "prompt_too_large",
    `The message is too long. It has about ${inEnglish(tokens)} tokens (${formatSize(Buffer.byteLength(message))}), and ${model.id} takes about ${inEnglish(limit)} per message. Shorten it, or save the text as a file and mention the file instead.`,
  );
}

function inEnglish(count: number): string {
  return count.toLocaleString("en-US");
}
