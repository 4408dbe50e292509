import { dirname } from "node:path";
import type { ExtensionCommand } from "../../extensions/all-commands.ts";
import type { Resource } from "../../prompt/resources.ts";
import type { SlashCommand } from "../../protocol/commands.ts";
import type { Handlers } from "./handler.ts";
import type { Services } from "./services.ts";

/** Queries about what a message can call by name. */
export function resourceHandlers({ extensions, resources: { skills, templates } }: Services) {
  return {
    async get_commands() {
      const [foundTemplates, foundSkills] = await Promise.all([templates.list(), skills.refresh()]);
      return {
        data: {
          commands: [
            ...extensions.commands().map(extensionCommand),
            ...foundTemplates.map((template) => ({
              ...slashCommand("prompt", template.name, template),
              ...(template.argumentHint === "" ? {} : { argumentHint: template.argumentHint }),
            })),
            ...foundSkills.map((skill) => slashCommand("skill", `skill:${skill.name}`, skill)),
          ],
        },
      };
    },
    async list_skills() {
      return { data: { skills: (await skills.refresh()).map(({ name, description }) => ({ name, description })) } };
    },
  } satisfies Partial<Handlers>;
}

/** A command that the agent brings itself has no file. */
function extensionCommand({ name, description, path, scope }: ExtensionCommand): SlashCommand {
  const command = { name, ...(description === undefined ? {} : { description }), source: "extension" as const };
  if (scope === "bundled") return command;
  const source = scope === "temporary" ? "cli" : "auto";
  return { ...command, path, sourceInfo: { path, source, scope, origin: "top-level", baseDir: dirname(path) } };
}

function slashCommand(source: SlashCommand["source"], name: string, resource: Resource): SlashCommand {
  const { description, path, place } = resource;
  const baseDir = place.path === path ? dirname(path) : place.path;
  return {
    name,
    description,
    source,
    location: place.scope === "temporary" ? "path" : place.scope,
    path,
    sourceInfo: { path, source: place.source, scope: place.scope, origin: "top-level", baseDir },
  };
}
