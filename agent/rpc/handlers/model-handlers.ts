import type { CommandResult } from "../../protocol/commands.ts";
import type { Services } from "../services/services.ts";
import { tellSelection } from "../session-change/tell-selection.ts";
import { DONE, type Handlers, type Reply } from "./handler.ts";

/** Commands about which model answers and how much it thinks. */
export function modelHandlers(services: Services) {
  const { session, hostModels } = services;
  const { registry, selection } = session.options;
  return {
    async set_model({ provider, modelId }) {
      const model = selection.find(provider, modelId);
      await tellSelection(services, "set", () => session.setModel(model));
      return { data: registry.toWire(model) };
    },
    async set_host_models({ provider, models }) {
      const brought = hostModels.replace(registry, provider, models);
      const first = brought.find(({ compat }) => compat?.tools !== false) ?? brought[0];
      const { model } = selection;
      const isUnchosen =
        model === undefined || (registry.isStandIn(model) && session.conversation.messages.length === 0);
      // If there is no model yet, one of these is selected, as at the start.
      if (first !== undefined && isUnchosen) await tellSelection(services, "set", () => session.setModel(first));
      return { data: { modelIds: brought.map(({ id }) => id) } };
    },
    async cycle_model({ direction }): Promise<Reply<CommandResult<"cycle_model">>> {
      const next = selection.neighbour(direction === "backward" ? -1 : 1);
      if (next === undefined) return { data: null };
      await tellSelection(services, "cycle", () => session.setModel(next.model, next.thinkingLevel));
      const { thinkingLevel } = selection;
      return { data: { model: registry.toWire(next.model), thinkingLevel, isScoped: next.isScoped } };
    },
    get_available_models() {
      return { data: { models: registry.available().map((model) => registry.toWire(model)) } };
    },
    async set_thinking_level({ level }) {
      await tellSelection(services, "set", () => session.setThinkingLevel(level));
      return DONE;
    },
    async cycle_thinking_level() {
      const level = selection.nextLevel();
      if (level === undefined) return { data: null };
      await tellSelection(services, "cycle", () => session.setThinkingLevel(level));
      return { data: { level: selection.thinkingLevel } };
    },
    get_available_thinking_levels() {
      return { data: { levels: selection.levels() } };
    },
  } satisfies Partial<Handlers>;
}
