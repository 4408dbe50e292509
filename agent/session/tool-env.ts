import type { LoopHost } from "../loop/loop-host.ts";
import type { Conversation } from "./conversation.ts";
import type { SessionOptions } from "./session-options.ts";

/** Where tools run, and what their commands learn of the session that they run in. */
export function toolSurroundings(
  options: SessionOptions,
  { id, file }: Conversation,
): ReturnType<LoopHost["toolContext"]> {
  const { cwd, shell, childEnv, selection, leavesOut } = options;
  const { model, thinkingLevel } = selection;
  const env = {
    ...childEnv,
    PI_SESSION_ID: id,
    ...(file === undefined ? {} : { PI_SESSION_FILE: file }),
    ...(model === undefined ? {} : { PI_PROVIDER: model.provider, PI_MODEL: model.id }),
    PI_REASONING_LEVEL: thinkingLevel,
  };
  return { cwd, shell, env, leavesOut };
}
