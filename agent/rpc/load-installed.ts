import { findContextFiles } from "../prompt/context-files.ts";
import type { Services } from "./handlers/services.ts";
import type { Prepared } from "./prepare.ts";

type Loaded = Pick<Services, "session" | "extensions" | "resources">;

/** Loads what is installed now: extensions, which cannot act yet, skills, templates and the instructions for the model. */
export async function loadInstalled(
  { rpc, agentDir, extensions: loader, readSettings }: Prepared,
  { session, resources }: Loaded,
): Promise<void> {
  const settings = await readSettings();
  await loader.load(settings);
  await resources.reload(settings);
  if (rpc.options.useContextFiles) session.options.prompt.contextFiles = findContextFiles(agentDir, rpc.cwd);
}

/** Begins anew for another session: nothing is left of what extensions kept, registered or switched off for the one before. */
export async function loadForSession(prepared: Prepared, services: Loaded): Promise<void> {
  const { session, extensions } = services;
  extensions.supersede();
  session.options.tools.reset();
  await loadInstalled(prepared, services);
  extensions.activate();
}
