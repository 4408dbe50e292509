import type { Services } from "../services/services.ts";
import type { Handlers } from "./handler.ts";

/** Queries about what a message can call by name. */
export function resourceHandlers({ commands, resources: { skills } }: Services) {
  return {
    async get_commands() {
      return { data: { commands: await commands.refresh() } };
    },
    async list_skills() {
      return { data: { skills: (await skills.refresh()).map(({ name, description }) => ({ name, description })) } };
    },
  } satisfies Partial<Handlers>;
}
