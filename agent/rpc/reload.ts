import { startExtensions, stopExtensions } from "./extension-host/start-extensions.ts";
import type { Prepared } from "./load/prepare.ts";
import { loadInstalled } from "./load-installed.ts";
import type { Services } from "./services/services.ts";
import { inLane } from "./wire/in-lane.ts";

/**
 * Makes what loads everything again that is installed. It waits until no run is active and then takes its place in the lane, so that
 * prompts are held while it works; an abort or the end of the agent lets go of handlers that hang.
 */
export function createReload(prepared: Prepared, services: Services): () => Promise<void> {
  const { session, lanes, extensions } = services;
  const reloadWhenIdle = async () => {
    if (session.isStreaming) return false;
    await reload(prepared, services);
    return true;
  };
  return async () => {
    if (extensions.isInHandler) {
      throw new Error("ctx.reload() is for commands: a handler or a tool would wait for itself.");
    }
    // The wait is outside of the lane, so that steering messages get through.
    do await session.runEnded();
    while (!(await inLane(lanes, "replace", reloadWhenIdle)));
  };
}

async function reload(prepared: Prepared, services: Services): Promise<void> {
  const { session, extensions } = services;
  const { tools } = session.options;
  await stopExtensions(extensions, "reload");
  const known = new Set(tools.all().map(({ name }) => name));
  const active = new Set(tools.active().keys());
  await loadInstalled(prepared, services, { letsFinish: false });
  // Inactive tools stay inactive; new tools are active if their author wants it.
  tools.setActive([...tools.active().keys()].filter((name) => active.has(name) || !known.has(name)));
  await startExtensions(services, "reload");
}
