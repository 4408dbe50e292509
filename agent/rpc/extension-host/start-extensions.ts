import type { ExtensionRunner } from "../../extensions/runner.ts";
import { atMost } from "../../util/at-most.ts";
import type { Services } from "../services/services.ts";
import { discoverResources } from "../session-change/extension-resources.ts";

/** The time that prompts wait for extensions at the start. */
const START_LIMIT_MS = 10_000;
/** The time that the shutdown waits for extensions; all of it has five seconds. */
const SHUTDOWN_LIMIT_MS = 3000;

/** True if an extension does something at the start. */
export function wantsStart(extensions: ExtensionRunner): boolean {
  return extensions.handles("session_start") || extensions.handles("resources_discover");
}

/**
 * Sends extensions the events of the start, and reads the resources that they name. Resolves when they are done, when
 * prompts have waited long enough, or when the user aborts.
 */
export async function startExtensions(services: Services, reason: "startup" | "reload"): Promise<void> {
  const { extensions, commands } = services;
  const start = async () => {
    if (!extensions.isEmpty) await commands.refresh();
    await extensions.notify({ type: "session_start", reason });
    await discoverResources(services, reason);
  };
  await atMost(untilReleased(start(), extensions), START_LIMIT_MS);
}

/** Sends `session_shutdown`, so that extensions can clean up. */
export async function stopExtensions(extensions: ExtensionRunner, reason: "quit" | "reload"): Promise<void> {
  const told = extensions.notify({ type: "session_shutdown", reason });
  await atMost(reason === "quit" ? told : untilReleased(told, extensions), SHUTDOWN_LIMIT_MS);
}

/** Waits for work, but not once the user has aborted or the host is gone. */
async function untilReleased(work: Promise<void>, { released, closed }: ExtensionRunner): Promise<void> {
  let release = () => {};
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
    released.addEventListener("abort", release, { once: true });
  });
  try {
    await Promise.race([work, isReleased, closed]);
  } finally {
    released.removeEventListener("abort", release);
  }
}
