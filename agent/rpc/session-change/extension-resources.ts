import { isAbsolute } from "node:path";
import * as z from "zod";
import type { ExtensionHost } from "../../extensions/host.ts";
import { extensionName } from "../../extensions/registrations.ts";
import type { ExtensionResource } from "../services/create-resources.ts";
import type { Services } from "../services/services.ts";

const MAX_PATHS = 200;

const Paths = z.lazy(() => z.array(z.string().min(1)).max(MAX_PATHS).catch([]));
const Discovered = z.lazy(() => z.object({ skillPaths: Paths.optional(), promptPaths: Paths.optional() }));

/** The part of the host by which extensions see files that the agent looks for. */
export function resourcePart(
  { commands }: Pick<Services, "commands">,
  isProjectTrusted: boolean,
): Pick<ExtensionHost, "commands" | "refreshCommands" | "isProjectTrusted"> {
  return {
    commands: () => commands.current,
    async refreshCommands() {
      await commands.refresh();
    },
    isProjectTrusted: () => isProjectTrusted,
  };
}

/**
 * Asks extensions for folders and files with their skills and templates, and uses these from then on. `release` ends
 * the wait for an extension that hangs.
 */
export async function discoverResources(
  { extensions, resources, session }: Pick<Services, "extensions" | "resources" | "session">,
  reason: "startup" | "reload",
  release?: AbortSignal,
): Promise<void> {
  if (!extensions.handles("resources_discover")) return;
  const found: ExtensionResource[] = [];
  const take = (result: unknown, extensionPath: string) => {
    const { data } = Discovered.safeParse(result);
    const name = extensionName(extensionPath);
    const add = (kind: ExtensionResource["kind"], paths: readonly string[] = []) =>
      found.push(
        ...paths
          .filter((path) => isAbsolute(path) || path.startsWith("~"))
          .map((path) => ({ kind, path, extensionName: name })),
      );
    add("skill", data?.skillPaths);
    add("prompt", data?.promptPaths);
    return false;
  };
  const event = { type: "resources_discover" as const, cwd: session.options.cwd, reason };
  await extensions.ask(event, take, { release });
  await resources.extend(found);
}
