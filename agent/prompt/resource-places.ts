import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { NO_RESOURCES } from "../config/resource-settings.ts";
import type { ResourceNames } from "../config/settings.ts";
import { APP_NAME } from "../protocol/envelope.ts";

/** A file or folder that may hold templates, skills or rules. */
export interface Place {
  path: string;
  /** Whose it is; `temporary` was named on the command line. */
  scope: "user" | "project" | "temporary";
  /** How it was found: where we look anyway, in settings, on the command line, by an extension. */
  source: "auto" | "local" | "cli" | `extension:${string}`;
  /** Which of the files there count; undefined means all. */
  isWanted?: ((file: string) => boolean) | undefined;
}

/** Where to look for one kind of resource. */
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

/** Where prompt templates may be; what comes first wins. */
export function templatePlaces({ agentDir, cwd, given, settings, isDiscovering }: PlaceOptions): Place[] {
  const project = [`.${APP_NAME}`, ".pi"].map((folder) => join(cwd, folder, "prompts"));
  return places({ given, settings, isDiscovering, project, user: [join(agentDir, "prompts")] });
}

/** Where skills may be; what comes first wins. */
export function skillPlaces({ agentDir, cwd, home, given, settings, isDiscovering }: PlaceOptions): Place[] {
  const own = [`.${APP_NAME}`, ".pi"].map((folder) => join(cwd, folder, "skills"));
  const shared = [".agents", ".claude"].flatMap((name) =>
    repositoryFolders(cwd).map((folder) => join(folder, name, "skills")),
  );
  const user = [join(agentDir, "skills"), join(home, ".agents", "skills")];
  return places({ given, settings, isDiscovering, project: [...own, ...shared], user });
}

/** Where rules for what the model writes may be; what comes first wins. */
export function rulePlaces({ agentDir, cwd }: Pick<PlaceOptions, "agentDir" | "cwd">): Place[] {
  const project = [`.${APP_NAME}`, ".pi"].map((folder) => join(cwd, folder, "rules"));
  const settings = { user: NO_RESOURCES, project: NO_RESOURCES };
  return places({ given: [], settings, isDiscovering: true, project, user: [join(agentDir, "rules")] });
}

/** A place that an extension names; it is there as long as the extension is. */
export function placeOfExtension(path: string, extensionName: string): Place {
  return { path, scope: "temporary", source: `extension:${extensionName}` };
}

interface PlaceLists extends Pick<PlaceOptions, "given" | "settings" | "isDiscovering"> {
  project: readonly string[];
  user: readonly string[];
}

function places({ given, settings, isDiscovering, project, user }: PlaceLists): Place[] {
  const named = given.map((path): Place => ({ path, scope: "temporary", source: "cli" }));
  if (!isDiscovering) return named;
  const users = new Set(user);
  const owned = (scope: "user" | "project", folders: readonly string[]): Place[] => {
    const { paths, isWanted } = settings[scope];
    return [
      ...paths.map(
        ({ path, only }): Place => ({
          path,
          scope,
          source: "local",
          isWanted: only === undefined ? isWanted : (file) => only(file) && isWanted(file),
        }),
      ),
      ...folders.map((path): Place => ({ path, scope, source: "auto", isWanted })),
    ];
  };
  const ofProject = project.filter((path) => !users.has(path));
  return [...named, ...owned("project", ofProject), ...owned("user", user)];
}

/** The folder and those above it up to the root of its repository; outside of a repository, only the folder. */
function repositoryFolders(cwd: string): string[] {
  const folders = [cwd];
  for (let folder = cwd; !existsSync(join(folder, ".git")); ) {
    const parent = dirname(folder);
    if (parent === folder) return [cwd];
    folders.push(parent);
    folder = parent;
  }
  return folders;
}
