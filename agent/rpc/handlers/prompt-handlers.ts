import type { FoundCommand } from "../../extensions/runner.ts";
import type { CommandParams, Disposition } from "../../protocol/commands.ts";
import { AgentError } from "../../protocol/errors.ts";
import type { QueueName } from "../../session/queue.ts";
import { atMost } from "../../util/at-most.ts";
import { abortWork } from "../abort-work.ts";
import type { Input, InputHooks } from "../input-hooks.ts";
import { type Call, DONE, type Handlers, type Reply } from "./handler.ts";
import { readLocale } from "./locale.ts";
import type { Services } from "./services.ts";

/** How long the answer to a prompt waits for an extension's command. */
const COMMAND_ANSWER_MS = 10_000;

type PromptReply = Reply<{ disposition: Disposition }>;

/** Commands that talk to the model: prompts, the queue and the end of a run. */
export function promptHandlers({ session, held, lanes, extensions, texts, inputs, hostModels }: Services) {
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
  const runCommand = async (found: FoundCommand): Promise<PromptReply> => {
    await atMost(found.run(), COMMAND_ANSWER_MS);
    return { data: { disposition: "handled" } };
  };
  const enqueue = async (command: string, queue: QueueName, params: CommandParams<"steer">): Promise<PromptReply> => {
    requireText(command, params);
    await session.enqueue(queue, params.message, params.images ?? []);
    return { data: { disposition: "queued" } };
  };
  const queue = (command: string, name: QueueName, params: CommandParams<"steer">) => {
    refuseCommand(extensions.findCommand(params.message));
    const streamingBehavior = name === "steering" ? ("steer" as const) : ("followUp" as const);
    return shown({ ...params, streamingBehavior }, (params) =>
      texts.take(params.message, (message) => enqueue(command, name, { ...params, message })),
    );
  };
  const shown = <Params extends CommandParams<"steer"> & Pick<CommandParams<"prompt">, "streamingBehavior">>(
    params: Params,
    use: (params: Params) => PromptReply | Promise<PromptReply>,
    postpone: Postpone = () => undefined,
  ): PromptReply | Promise<PromptReply> => (inputs.isWanted ? show(inputs, params, use, postpone) : use(params));
  const postponed =
    (command: string, params: CommandParams<"abort_and_prompt">, isHeld: boolean): Postpone =>
    (decision) => {
      if (!isHeld && (session.isStreaming || held.hasWaiting)) return undefined;
      requireText(command, params);
      if (!isHeld) selection.require();
      if (params.locale !== undefined) session.modes.locale = readLocale(params.locale);
      const expanded = decision.then(async (input) =>
        input === undefined ? undefined : { ...input, text: await texts.take(input.text, (text) => text) },
      );
      const disposition = isHeld ? "queued" : "started";
      return { data: { disposition }, afterResponse: held.addUndecided(params.message, expanded) };
    };
  const hold = (command: string, params: CommandParams<"prompt">): PromptReply => {
    requireText(command, params);
    if (params.locale !== undefined) session.modes.locale = readLocale(params.locale);
    return { data: { disposition: "queued" }, afterResponse: held.add(params.message, params.images ?? []) };
  };
  const prompt = (params: CommandParams<"prompt">, { command, isHeld }: Call): PromptReply | Promise<PromptReply> => {
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
  return {
    prompt(params, call) {
      const found = extensions.findCommand(params.message);
      if (found !== undefined) return runCommand(found);
      const take = () =>
        shown(
          params,
          (params) => texts.take(params.message, (message) => prompt({ ...params, message }, call)),
          postponed(call.command, params, call.isHeld),
        );
      const coming = hostModels.comingFor(selection.model);
      return coming === undefined ? take() : coming.then(take);
    },
    steer: (params, { command }) => queue(command, "steering", params),
    follow_up: (params, { command }) => queue(command, "followUp", params),
    async abort() {
      inputs.release();
      extensions.release();
      await abortWork({ session, held, lanes, texts });
      return DONE;
    },
    async abort_and_prompt(params, { command }) {
      await session.abort();
      const found = extensions.findCommand(params.message);
      if (found !== undefined) return runCommand(found);
      return shown(
        { ...params, streamingBehavior: undefined },
        (params) => texts.take(params.message, (message) => start(command, { ...params, message })),
        postponed(command, params, false),
      );
    },
    abort_retry() {
      session.cancelRetry();
      return DONE;
    },
    async clear_queue() {
      if (texts.pending !== undefined) await texts.pending;
      const dropped = held.drop();
      const { steering, followUp } = await session.clearQueue();
      const released = dropped.release();
      if (!session.isStreaming) await released; // an active run is not waited for
      return { data: { steering, followUp: [...followUp, ...dropped.texts] } };
    },
  } satisfies Partial<Handlers>;
}

/** Answers a prompt that is undecided when the time is over. @returns undefined when it is to go on as it is. */
type Postpone = (decision: Promise<Input | undefined>) => PromptReply | undefined;

/** Lets extensions decide on a message; one that they take is answered here. */
async function show<Params extends CommandParams<"steer"> & Pick<CommandParams<"prompt">, "streamingBehavior">>(
  inputs: InputHooks,
  params: Params,
  use: (params: Params) => PromptReply | Promise<PromptReply>,
  postpone: Postpone,
): Promise<PromptReply> {
  const { message, images = [], streamingBehavior } = params;
  const decision = inputs.decide({
    text: message,
    images,
    source: "rpc",
    ...(streamingBehavior === undefined ? {} : { streamingBehavior }),
  });
  if (!(await inputs.isInTime(decision))) return postpone(decision) ?? use(params);
  const decided = await decision;
  if (decided === undefined) return { data: { disposition: "handled" } };
  return use({ ...params, message: decided.text, images: decided.images });
}

function refuseCommand(found: FoundCommand | undefined): void {
  if (found === undefined) return;
  throw new AgentError(
    "invalid_request",
    `Extension command "/${found.name}" cannot be queued. Use prompt() or execute the command when not streaming.`,
  );
}

function requireText(command: string, { message, images }: CommandParams<"steer">): void {
  if (message.trim() === "" && (images ?? []).length === 0) {
    throw new AgentError("invalid_request", `${command}: "message" must not be empty`);
  }
}
