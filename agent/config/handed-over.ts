import { closeSync, readFileSync } from "node:fs";
import { decodeVariables, SECRETS_FD } from "../protocol/handover.ts";
import { MASKED, readMasked } from "./restart.ts";

/** The variables that a handover takes. */
export const HANDOVER_NAMES = [SECRETS_FD, MASKED];

/** Reads the variables that were handed over beside the environment: by a host, or by this process before it began anew. They can be read once. */
export function takeHandedOver(env: NodeJS.ProcessEnv): Record<string, string> {
  try {
    const fd = env[SECRETS_FD];
    const masked = env[MASKED];
    return {
      ...(fd === undefined ? {} : decodeVariables(readDescriptor(Number(fd)))),
      ...(masked === undefined ? {} : decodeVariables(readMasked(masked))),
    };
  } catch (error) {
    console.error(`The keys that were handed over cannot be read: ${error instanceof Error ? error.message : error}`);
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
