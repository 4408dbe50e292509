import { dirname } from "node:path";
import type { McpDesk } from "../../bundled/mcp/mcp-parts.ts";
import type { ExtensionCommand } from "../../extensions/all-commands.ts";
import type { ExtensionRunner } from "../../extensions/runner.ts";
import type { Resource } from "../../prompt/resources.ts";
import type { ListedTemplate } from "../../prompt/templates.ts";
import type { SlashCommand } from "../../protocol/commands.ts";
import type { Resources } from "./create-resources.ts";

/** The slash commands. */
export interface CommandList {
  /** As it was when somebody looked last; commands of extensions are always true. */
  readonly current: SlashCommand[];
  /** Looks for templates and skills again; only files that changed are read. */
  refresh(): Promise<SlashCommand[]>;
}

/** Lists commands of extensions, then templates and prompts of MCP servers, then skills. */
export function createCommandList(
  extensions: ExtensionRunner,
  { templates, skills }: Resources,
  mcp: McpDesk | undefined,
): CommandList {
  let found: readonly ListedTemplate[] = [];
  const list = () => [
    ...extensions.commands().map(extensionCommand),
    ...found.map((template) => ({
      ...templateCommand(template),
      ...(template.argumentHint === "" ? {} : { argumentHint: template.argumentHint }),
    })),
    ...(mcp?.commands ?? []),
    ...skills.current.map((skill) => slashCommand("skill", `skill:${skill.name}`, skill)),
  ];
  return {
    get current() {
      return list();
    },
    async refresh() {
      [found] = await Promise.all([templates.list(), skills.refresh()]);
      return list();
    },
  };
}

/** A command that the agent brings itself has no file; authors still find a `sourceInfo`, as pi has one for every command. */
function extensionCommand({ name, description, path, scope }: ExtensionCommand): SlashCommand {
  const command = { name, ...(description === undefined ? {} : { description }), source: "extension" as const };
  if (scope === "bundled") {
    return { ...command, sourceInfo: { path, source: "bundled", scope: "temporary", origin: "top-level" } };
  }
  const source = scope === "temporary" ? "cli" : "auto";
  return { ...command, path, sourceInfo: { path, source, scope, origin: "top-level", baseDir: dirname(path) } };
}

function templateCommand(template: ListedTemplate): SlashCommand {
  const { name, description, path, place } = template;
  if (place !== "bundled") return slashCommand("prompt", name, { name, description, path, place });
  const sourceInfo = { path, source: "bundled", scope: "temporary", origin: "top-level" } as const;
  return { name, description, source: "prompt", sourceInfo };
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
