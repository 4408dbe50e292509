import type { Chat } from "./chat.ts";

/** What a session begins with; empty for the agent's own choice. */
export interface SessionDefaults {
  /** `provider/id`, or the id alone. */
  readonly model: string;
  readonly thinkingLevel: string;
}

/** Gives a new session the model and level of the settings, since the agent keeps those of the session before. Throws when there is no such model. */
export async function applySessionDefaults(chat: Chat, defaults: SessionDefaults): Promise<void> {
  if (defaults.model === "" && defaults.thinkingLevel === "") return;
  if (defaults.model !== "") {
    const { models } = await chat.request("get_available_models", {});
    const model = models.find(({ id, provider }) => defaults.model === `${provider}/${id}` || defaults.model === id);
    if (model === undefined) {
      throw new Error(`The setting "tiller.model" names "${defaults.model}", which is not available. Pick a model.`);
    }
    await chat.request("set_model", { provider: model.provider, modelId: model.id });
  }
  if (defaults.thinkingLevel !== "") {
    const { levels } = await chat.request("get_available_thinking_levels", {});
    const level = levels.find((candidate) => candidate === defaults.thinkingLevel);
    if (level !== undefined) await chat.request("set_thinking_level", { level });
  }
  await chat.refresh();
}
