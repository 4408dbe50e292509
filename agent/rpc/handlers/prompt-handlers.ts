import type { FoundCommand } from "../../extensions/runner.ts";
import type { CommandParams } from "../../protocol/commands.ts";
import { AgentError } from "../../protocol/errors.ts";
import type { QueueName } from "../../session/queue.ts";
import { atMost } from "../../util/at-most.ts";
import { abortWork } from "../services/abort-work.ts";
import type { InputHooks } from "../services/input-hooks.ts";
import type { Services } from "../services/services.ts";
import { DONE, type Handlers } from "./handler.ts";
import { type Postpone, type PromptReply, promptIntake } from "./prompt-intake.ts";

/** The time that the response to a prompt waits for an extension's command. */
const COMMAND_ANSWER_MS = 10_000;

/** The message for extensions, with its delivery. */
type ShownParams = CommandParams<"steer"> & Pick<CommandParams<"prompt">, "streamingBehavior">;

/** Commands that talk to the model: prompts, the queue and the end of a run. */
export function promptHandlers({ session, held, lanes, extensions, texts, inputs, hostModels }: Services) {
  const intake = promptIntake({ session, held, texts });
  const shown = showTo(inputs);
  const queue = (command: string, name: QueueName, params: CommandParams<"steer">) => {
    refuseCommand(extensions.findCommand(params.message));
    const streamingBehavior = name === "steering" ? ("steer" as const) : ("followUp" as const);
    return shown({ ...params, streamingBehavior }, (params) =>
      texts.take(params.message, (message) => intake.enqueue(command, name, { ...params, message })),
    );
  };
  return {
    prompt(params, call) {
      const found = extensions.findCommand(params.message);
      if (found !== undefined) return runCommand(found);
      const take = () =>
        shown(
          params,
          (params) => texts.take(params.message, (message) => intake.take({ ...params, message }, call)),
          intake.postponing(call.command, params, call.isHeld),
        );
      const coming = hostModels.comingFor(session.options.selection.model);
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
        (params) => texts.take(params.message, (message) => intake.start(command, { ...params, message })),
        intake.postponing(command, params, false),
      );
    },
    retry() {
      const coming = hostModels.comingFor(session.options.selection.model);
      return coming === undefined ? intake.retry() : coming.then(intake.retry);
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

async function runCommand(found: FoundCommand): Promise<PromptReply> {
  await atMost(found.run(), COMMAND_ANSWER_MS);
  return { data: { disposition: "handled" } };
}

/** Hands messages on, where extensions want to see them once those have decided. */
function showTo(inputs: InputHooks) {
  return <Params extends ShownParams>(
    params: Params,
    use: (params: Params) => PromptReply | Promise<PromptReply>,
    postpone: Postpone = () => undefined,
  ): PromptReply | Promise<PromptReply> => (inputs.isWanted ? show(inputs, params, use, postpone) : use(params));
}

/** Passes a message to extensions; answers the command if one takes it. */
async function show<Params extends ShownParams>(
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
