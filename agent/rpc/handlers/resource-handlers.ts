import { AgentError, errorMessage } from "../../protocol/errors.ts";
import type { Services } from "../services/services.ts";
import type { Handlers } from "./handler.ts";

/** Queries about what a message can call by name. */
export function resourceHandlers({ commands, mcp, resources: { skills } }: Services) {
  return {
    async get_commands() {
      return { data: { commands: await commands.refresh() } };
    },
    async list_skills() {
      return { data: { skills: (await skills.refresh()).map(({ name, description }) => ({ name, description })) } };
    },
    async find_mcp_resources({ query }) {
      return { data: { resources: (await mcp?.find(query)) ?? [] } };
    },
    async read_mcp_resource(place) {
      if (mcp === undefined) throw new AgentError("not_found", "MCP servers are off.");
      try {
        return { data: await mcp.read(place) };
      } catch (error) {
        throw new AgentError("not_found", errorMessage(error), { cause: error });
      }
    },
  } satisfies Partial<Handlers>;
}
