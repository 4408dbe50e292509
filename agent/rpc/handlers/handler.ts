import type { z } from "zod";
import { type CommandParams, type CommandResult, type CommandType, commands } from "../../protocol/commands.ts";
import type { CommandId } from "../../protocol/envelope.ts";
import { AgentError, describeInvalidCommand } from "../../protocol/errors.ts";

/** The result of a handler: the response's data, and work that starts after the response is written. */
export interface Reply<Data> {
  data: Data;
  afterResponse?: () => void;
}

/** The circumstances of a command. */
export interface Call {
  id: CommandId | undefined;
  /** The type as the host spelled it. */
  command: string;
  /** It is a prompt that has to wait until a compaction or a change of session is over. */
  isHeld: boolean;
}

type Handler<C extends CommandType> = (
  params: CommandParams<C>,
  call: Call,
) => Reply<CommandResult<C>> | Promise<Reply<CommandResult<C>>>;

/** One handler a command. */
export type Handlers = { [C in CommandType]: Handler<C> };

/** As much of a zod schema as checking a command needs. */
interface ParamsSchema<Params> {
  safeParse(frame: unknown): { success: true; data: Params } | { success: false; error: z.ZodError };
}

/** The table of commands, seen so that a command's schema and its handler fit each other. */
const schemas: { [C in CommandType]: { params: ParamsSchema<CommandParams<C>> } } = commands;

/** A reply without data. */
export const DONE: Reply<undefined> = { data: undefined };

/**
 * Checks a command's fields and runs its handler.
 * @throws AgentError for fields that do not fit.
 */
export async function runHandler<C extends CommandType>(
  handlers: Handlers,
  type: C,
  frame: unknown,
  call: Call,
): Promise<Reply<unknown>> {
  const params = schemas[type].params.safeParse(frame);
  if (!params.success) {
    throw new AgentError("invalid_request", describeInvalidCommand(call.command, params.error, frame));
  }
  return handlers[type](params.data, call);
}
