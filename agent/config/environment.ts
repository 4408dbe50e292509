import type { Env } from "./paths.ts";

/** Names of variables that are for the agent alone, separated by commas: whoever starts it with a key in the environment names the key here. */
const PRIVATE_NAMES = "TILLER_PRIVATE_ENV";

/** What makes an editor's program behave as Node is for us, not for the programs that our tools start. */
const ALWAYS_PRIVATE = [PRIVATE_NAMES, "ELECTRON_RUN_AS_NODE"];

/**
 * Takes private variables out of the process's environment, so that no child process and no command of the model can read them.
 * @returns the environment as it was, for the agent's own use.
 */
export function takeEnvironment(processEnv: NodeJS.ProcessEnv): Env {
  const whole = { ...processEnv };
  const named = (whole[PRIVATE_NAMES] ?? "").split(",").map((name) => name.trim());
  for (const name of [...ALWAYS_PRIVATE, ...named]) delete processEnv[name];
  return whole;
}
