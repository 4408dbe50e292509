import { homedir } from "node:os";
import type { AgentOptions, ResourceChoice } from "../config/options.ts";
import { expandPath } from "../config/paths.ts";
import type { Settings } from "../config/settings.ts";
import { warnOnce } from "../prompt/resource-files.ts";
import { type NamedPaths, type PlaceOptions, skillPlaces, templatePlaces } from "../prompt/resource-places.ts";
import { createSkills, type Skills } from "../prompt/skills.ts";
import { createTemplates, type Templates } from "../prompt/templates.ts";

interface ResourceParts {
  options: AgentOptions;
  settings: Settings;
  agentDir: string;
  cwd: string;
  warn(message: string): void;
}

/** What a message can call. */
export interface Resources {
  skills: Skills;
  templates: Templates;
}

/** Finds the skills; templates are looked for when somebody asks. */
export async function createResources({ options, settings, agentDir, cwd, warn }: ResourceParts): Promise<Resources> {
  const warnOfFiles = warnOnce(warn);
  const optionsFor = ({ given, isDiscovering }: ResourceChoice, named: NamedPaths): PlaceOptions => ({
    agentDir,
    cwd,
    home: homedir(),
    given: given.map((path) => expandPath(path, cwd)),
    settings: named,
    isDiscovering,
  });
  const skills = createSkills({
    places: skillPlaces(optionsFor(options.skills, settings.skills)),
    globs: options.skillGlobs,
    warn: warnOfFiles,
  });
  const templates = createTemplates(templatePlaces(optionsFor(options.promptTemplates, settings.prompts)), warnOfFiles);
  await skills.refresh();
  return { skills, templates };
}
