import * as vscode from "vscode";
import type { Chat } from "./chat.ts";

const SECRET = "tiller.anthropicApiKey";

/** Reads the stored key, if there is one. */
export async function storedApiKey(secrets: vscode.SecretStorage): Promise<string | undefined> {
  return (await secrets.get(SECRET)) || undefined;
}

/** The agents that get the key. */
interface KeyUsers {
  readonly focused: Chat;
  /** Starts all that run anew, and the focused one in any case. */
  restart(): Promise<void>;
}

/** The user's key: kept in the editor's secret storage, given to the agent by its environment only, never logged. */
export class ApiKey {
  readonly #secrets: vscode.SecretStorage;
  readonly #agents: KeyUsers;

  constructor(secrets: vscode.SecretStorage, agents: KeyUsers) {
    this.#secrets = secrets;
    this.#agents = agents;
  }

  /** Asks for a key, stores it, and starts the agent anew with it in the same session. */
  async ask(): Promise<void> {
    const key = await vscode.window.showInputBox({
      title: "Anthropic API Key",
      prompt: "Kept in the editor's secret storage and given to the agent only.",
      placeHolder: "sk-ant-…",
      password: true,
      ignoreFocusOut: true,
      validateInput: (value) => (/\s/.test(value.trim()) ? "A key has no blanks in it." : undefined),
    });
    if (key === undefined || key.trim() === "") return;
    await this.#secrets.store(SECRET, key.trim());
    await this.#agents.restart();
    await this.#leaveDemoModel();
  }

  /** Forgets the key and starts the agent anew without it. */
  async remove(): Promise<void> {
    await this.#secrets.delete(SECRET);
    await this.#agents.restart();
  }

  /** A session that the demo model began would go on with it; who sets a key wants a real one. */
  async #leaveDemoModel(): Promise<void> {
    const { focused } = this.#agents;
    const state = await focused.request("get_state", { omit: ["systemPrompt", "dumpTools"] });
    if (state.model !== null && state.model.provider !== "demo") return;
    const { models } = await focused.request("get_available_models", {});
    const model = models.find((candidate) => candidate.provider === "anthropic");
    if (model === undefined) return;
    await focused.request("set_model", { provider: model.provider, modelId: model.id });
    await focused.refresh();
  }
}
