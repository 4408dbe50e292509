import { join } from "node:path";
import { NO_RESOURCES } from "../config/resource-settings.ts";
import type { ResourceNames } from "../config/settings.ts";
import { APP_NAME } from "../protocol/envelope.ts";
import { repositoryFolders } from "./project-files.ts";

/** A file or folder that may hold templates, skills or rules. */
export interface Place {
  path: string;
  /** Its owner; `temporary` means named on the command line. */
  scope: "user" | "project" | "temporary";
  /** How it was found: in a default place, in settings, on the command line, or by an extension. */
  source: "auto" | "local" | "cli" | `extension:${string}`;
  /** Which of the files there count; undefined means all. */
  isWanted?: ((file: string) => boolean) | undefined;
  /** The folder that the files have to lie in once links are followed; undefined for what is the user's own. */
  root?: string | undefined;
}

/** The places for one kind of resource. */
export interface PlaceOptions {
  agentDir: string;
  cwd: string;
  home: string;
  /** Absolute paths from the command line. */
  given: readonly string[];
  settings: ResourceNames;
  /** Off: only what the command line names. */
  isDiscovering: boolean;
}

/** The places of prompt templates; the first wins. */
export function templatePlaces({ agentDir, cwd, given, settings, isDiscovering }: PlaceOptions): Place[] {
  const project = [`.${APP_NAME}`, ".pi"].map((folder) => join(cwd, folder, "prompts"));
  return places({ cwd, given, settings, isDiscovering, project, user: [join(agentDir, "prompts")] });
}

/** The places of skills; the first wins. */
export function skillPlaces({ agentDir, cwd, home, given, settings, isDiscovering }: PlaceOptions): Place[] {
  const own = [`.${APP_NAME}`, ".pi"].map((folder) => join(cwd, folder, "skills"));
  const shared = [".agents", ".claude"].flatMap((name) =>
    repositoryFolders(cwd).map((folder) => join(folder, name, "skills")),
  );
  const user = [join(agentDir, "skills"), join(home, ".agents", "skills")];
  return places({ cwd, given, settings, isDiscovering, project: [...own, ...shared], user });
}

/** The places of stream rules; the first wins. */
export function rulePlaces({ agentDir, cwd }: Pick<PlaceOptions, "agentDir" | "cwd">): Place[] {
  const project = [`.${APP_NAME}`, ".pi"].map((folder) => join(cwd, folder, "rules"));
  const settings = { user: NO_RESOURCES, project: NO_RESOURCES };
  return places({ cwd, given: [], settings, isDiscovering: true, project, user: [join(agentDir, "rules")] });
}

/** A place that an extension names; it is there as long as the extension is. */
export function placeOfExtension(path: string, extensionName: string): Place {
  return { path, scope: "temporary", source: `extension:${extensionName}` };
}

interface PlaceLists extends Pick<PlaceOptions, "cwd" | "given" | "settings" | "isDiscovering"> {
  project: readonly string[];
  user: readonly string[];
}

function places({ cwd, given, settings, isDiscovering, project, user }: PlaceLists): Place[] {
  const named = given.map((path): Place => ({ path, scope: "temporary", source: "cli" }));
  if (!isDiscovering) return named;
  const users = new Set(user);
  const owned = (scope: "user" | "project", folders: readonly string[]): Place[] => {
    const { paths, isWanted } = settings[scope];
    const root = scope === "project" ? repositoryFolders(cwd).at(-1) : undefined;
    return [
      ...paths.map(
        ({ path, only }): Place => ({
          path,
          scope,
          source: "local",
          root,
          isWanted: only === undefined ? isWanted : (file) => only(file) && isWanted(file),
        }),
      ),
      ...folders.map((path): Place => ({ path, scope, source: "auto", root, isWanted })),
    ];
  };
  const ofProject = project.filter((path) => !users.has(path));
  return [...named, ...owned("project", ofProject), ...owned("user", user)];
}
