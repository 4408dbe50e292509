import type { Prepared } from "./load/prepare.ts";
import { readInstructionFiles } from "./read-instructions.ts";
import type { Services } from "./services/services.ts";

type Loaded = Pick<Services, "session" | "extensions" | "resources">;

/**
 * Loads anew what is installed now: extensions, skills, templates and the instructions for the model. Until they are there, the earlier
 * extensions are asked, so that nothing that is said meanwhile passes them by.
 * @param letsFinish whether what runs of the earlier extensions may act until it is over.
 */
export async function loadInstalled(
  { rpc, agentDir, extensions: loader, readSettings }: Prepared,
  { session, extensions, resources }: Loaded,
  { letsFinish }: { letsFinish: boolean },
): Promise<void> {
  extensions.leave();
  try {
    const settings = await readSettings();
    await loader.load(settings);
    await resources.reload(settings);
    const { options, cwd } = rpc;
    session.options.instructions = await readInstructionFiles({ options, settings, agentDir, cwd });
  } finally {
    extensions.takeOver({ letsFinish });
  }
}

/**
 * Starts again for another session: everything that extensions stored, registered or turned off for the earlier one is
 * gone.
 */
export async function loadForSession(prepared: Prepared, services: Loaded): Promise<void> {
  await loadInstalled(prepared, services, { letsFinish: true });
  services.session.options.tools.reset();
}
