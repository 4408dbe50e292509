import { homedir } from "node:os";
import type { AgentOptions, ResourceChoice } from "../../config/options.ts";
import { expandPath } from "../../config/paths.ts";
import type { ResourceNames, Settings } from "../../config/settings.ts";
import { OWN_TEMPLATES } from "../../prompt/own-templates.ts";
import { warnOnce } from "../../prompt/resource-files.ts";
import {
  type Place,
  type PlaceOptions,
  placeOfExtension,
  skillPlaces,
  templatePlaces,
} from "../../prompt/resource-places.ts";
import { createSkills, type Skills } from "../../prompt/skills.ts";
import { createTemplates, type Templates } from "../../prompt/templates.ts";

type ResourceSettings = Pick<Settings, "skills" | "prompts">;

interface ResourceParts {
  options: AgentOptions;
  settings: ResourceSettings;
  agentDir: string;
  cwd: string;
  warn(message: string): void;
}

/** A path that an extension names. */
export interface ExtensionResource {
  kind: "skill" | "prompt";
  path: string;
  extensionName: string;
}

/** The resources that a message can use. */
export interface Resources {
  skills: Skills;
  templates: Templates;
  /** Looks from here on where these settings say, and no more where extensions said. */
  reload(settings: ResourceSettings): Promise<void>;
  /** Looks from here on in these places, too, after all others. */
  extend(found: readonly ExtensionResource[]): Promise<void>;
}

/** Finds the skills; templates are searched for when they are needed. */
export async function createResources(parts: ResourceParts): Promise<Resources> {
  const { options, agentDir, cwd, warn } = parts;
  const warnOfFiles = warnOnce(warn);
  let settings = parts.settings;
  let added: readonly ExtensionResource[] = [];
  const optionsFor = ({ given, isDiscovering }: ResourceChoice, named: ResourceNames): PlaceOptions => ({
    agentDir,
    cwd,
    home: homedir(),
    given: given.map((path) => expandPath(path, cwd)),
    settings: named,
    isDiscovering,
  });
  const addedPlaces = (wanted: ExtensionResource["kind"]): Place[] =>
    added
      .filter(({ kind }) => kind === wanted)
      .map(({ path, extensionName }) => placeOfExtension(expandPath(path, cwd), extensionName));
  const skills = createSkills({
    places: () => [...skillPlaces(optionsFor(options.skills, settings.skills)), ...addedPlaces("skill")],
    globs: options.skillGlobs,
    warn: warnOfFiles,
  });
  const templates = createTemplates(
    () => [...templatePlaces(optionsFor(options.promptTemplates, settings.prompts)), ...addedPlaces("prompt")],
    options.promptTemplates.isDiscovering ? OWN_TEMPLATES : [],
    warnOfFiles,
  );
  await skills.refresh();
  return {
    skills,
    templates,
    async reload(newSettings) {
      settings = newSettings;
      added = [];
      await skills.refresh();
    },
    async extend(found) {
      added = [...added, ...found];
      await skills.refresh();
    },
  };
}
