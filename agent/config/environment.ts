import { closeSync, readFileSync } from "node:fs";
import { decodeVariables, SECRETS_FD } from "../protocol/handover.ts";
import { blankFlag, blankVariables } from "../util/initial-memory.ts";
import { KEY_VARIABLE_NAMES } from "./credentials.ts";
import type { Env } from "./paths.ts";
import { MASKED, readMasked, restartWith } from "./restart.ts";

/** Names of variables that are for the agent alone, separated by commas, beside those that it knows to hold keys. */
const PRIVATE_NAMES = "TILLER_PRIVATE_ENV";

/** Variables for the agent alone: with the last one an editor's program behaves as Node, which the programs of our tools must not. */
const ALWAYS_PRIVATE = [PRIVATE_NAMES, "ELECTRON_RUN_AS_NODE"];

/**
 * Takes keys and private variables out of the process's environment, so that no child process can read them, and out of what the system shows
 * of this process. Where the system allows no process to change that, the process begins anew without them, if Node can do so.
 * @param hide as `hideVariables`.
 * @returns the environment as it was, with what the host handed over, for the agent's own use.
 */
export function takeEnvironment(processEnv: NodeJS.ProcessEnv, hide = hideVariables): Env {
  const handedOver = takeHandedOver(processEnv);
  const whole = { ...processEnv, ...handedOver };
  const named = (whole[PRIVATE_NAMES] ?? "").split(",").map((name) => name.trim());
  const secret = [...KEY_VARIABLE_NAMES, ...named].filter((name) => processEnv[name]);
  for (const name of HANDOVER_NAMES) delete processEnv[name]; // they can be read once
  if (!hide(secret, processEnv)) {
    const ofEnvironment = Object.fromEntries(secret.map((name) => [name, whole[name] ?? ""]));
    restartWith({ ...ofEnvironment, ...handedOver }, processEnv);
  }
  for (const name of [...ALWAYS_PRIVATE, ...named]) delete processEnv[name];
  // Otherwise, Windows would run a program in the workspace instead of the one on the PATH that is meant, such as git.
  if (process.platform === "win32") processEnv.NoDefaultCurrentDirectoryInExePath = "1";
  blankFlag("--api-key");
  return whole;
}

/**
 * Takes variables out of the process's environment and of what the system shows of it.
 * @returns false when the system still shows them.
 */
export function hideVariables(names: readonly string[], processEnv: NodeJS.ProcessEnv = process.env): boolean {
  const set = names.filter((name) => processEnv[name] !== undefined);
  for (const name of set) delete processEnv[name];
  return set.length === 0 || blankVariables(new Set(set));
}

/** The variables that a handover takes. */
const HANDOVER_NAMES = [SECRETS_FD, MASKED];

/** Reads the variables that were handed over beside the environment: by a host, or by this process before it began anew. They can be read once. */
function takeHandedOver(env: NodeJS.ProcessEnv): Record<string, string> {
  try {
    const fd = env[SECRETS_FD];
    const masked = env[MASKED];
    return {
      ...(fd === undefined ? {} : decodeVariables(readDescriptor(Number(fd)))),
      ...(masked === undefined ? {} : decodeVariables(readMasked(masked))),
    };
  } catch (error) {
    console.error(`Couldn't read the keys from the host: ${error instanceof Error ? error.message : error}`);
    return {};
  }
}

/** Waits until the host has closed its end. */
function readDescriptor(fd: number): string {
  try {
    return readFileSync(fd, "utf8");
  } finally {
    closeSync(fd);
  }
}
