import * as z from "zod";
import type { CommandResult } from "../../protocol/commands.ts";
import { AgentError } from "../../protocol/errors.ts";
import { VERSION } from "../../util/version.ts";
import type { Services } from "../services/services.ts";
import { DONE, type Handlers } from "./handler.ts";

const EventTypes = z.lazy(() => z.array(z.string().min(1)).nullable());

/** Commands by which a host fits the agent to its own interface. */
export function hostHandlers({ session, output, hostSecrets }: Services) {
  const { registry, selection } = session.options;
  return {
    set_host_secrets() {
      hostSecrets.offer();
      return DONE;
    },
    set_event_filter({ events }) {
      const types = EventTypes.safeParse(events);
      if (!types.success) {
        throw new AgentError("invalid_request", "events must be null or an array of non-empty event type strings");
      }
      output.setFilter(types.data);
      return { data: { events: types.data } };
    },
    get_integrations(): { data: CommandResult<"get_integrations"> } {
      const provider = selection.model?.provider;
      const isReady = provider !== undefined && registry.hasCredentials(provider);
      const state = provider === undefined ? "no_provider" : isReady ? "connected" : "auth_error";
      return {
        data: { version: VERSION, model: { state, ...(provider === undefined ? {} : { provider }) }, services: [] },
      };
    },
  } satisfies Partial<Handlers>;
}
