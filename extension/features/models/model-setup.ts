import * as vscode from "vscode";
import type { Model } from "../../../agent/protocol/model.ts";
import { t } from "../../../webview/l10n.ts";
import { modelName } from "../../chat/model-rows.ts";
import { KEY_PROVIDERS, type KeyProvider } from "../../core/keys/key-providers.ts";
import { findLocalServers } from "../../core/setup/local-servers.ts";
import { listModels } from "../../core/setup/server-models.ts";
import type { Chats } from "../../window/chats.ts";
import { type ApiKey, restartAll } from "./api-key.ts";
import { ModelTester } from "./model-tester.ts";
import { addToModelsFile, openModelsFile } from "./models-file.ts";
import type { RecentModels } from "./recent-models.ts";
import { type KeySource, pickWay, type SetupWay } from "./setup-ways.ts";

/** A server whose models can be added to `models.json`. */
interface AddedServer {
  readonly id: string;
  readonly name: string;
  readonly baseUrl: string;
  readonly key?: string;
  readonly variable?: string;
  /** Its models, if they are known already. */
  readonly models?: readonly string[];
}

/** Sets up a model from whatever there is: models, keys, local servers, or a new key. Ends with a model that has answered. */
export class ModelSetup {
  readonly #chats: Chats;
  readonly #apiKey: ApiKey;
  readonly #recent: RecentModels;
  readonly #tester: ModelTester;

  constructor(chats: Chats, apiKey: ApiKey, recent: RecentModels) {
    this.#chats = chats;
    this.#apiKey = apiKey;
    this.#recent = recent;
    this.#tester = new ModelTester(apiKey);
  }

  /** Asks the user which model to use, and sets it up. */
  async run(): Promise<void> {
    const way = await pickWay({
      models: this.#models(),
      keys: Promise.all(KEY_PROVIDERS.map((candidate) => this.#keySource(candidate))),
      servers: (signal) => findLocalServers(signal),
    });
    if (way !== undefined) await this.#follow(way);
  }

  async #follow(way: SetupWay): Promise<void> {
    switch (way.kind) {
      case "models":
        return this.#pickFrom(way.models);
      case "server":
        return this.#addFrom(way.server);
      case "foundKey":
        return this.#addFrom(serverOf(way.provider, way.key));
      case "newKey":
        return this.#useNewKey(way.provider);
      case "signIn":
        void vscode.window.showInformationMessage(
          t("To use {0}: {1}. Then restart the editor.", way.signIn.name, way.signIn.advice()),
        );
        return;
      case "file":
        return openModelsFile(this.#chats.focused.session.folder);
    }
  }

  async #useNewKey(provider: KeyProvider): Promise<void> {
    const key = await this.#apiKey.add(provider);
    if (key === undefined) return;
    await restartAll(this.#chats);
    // The key was tested just now.
    const model = (await this.#models()).find((one) => one.provider === provider.id);
    if (model !== undefined) await this.#use(model);
    else if (provider.chatUrl !== undefined) await this.#addFrom(serverOf(provider, key));
  }

  /** Asks for one of the agent's models, and uses it if it answers. */
  async #pickFrom(models: readonly Model[]): Promise<void> {
    const items = models.map((model) => ({ label: model.name, description: modelName(model), model }));
    const title = t("Select Model");
    const chosen = items.length === 1 ? items[0] : await vscode.window.showQuickPick(items, { title });
    if (chosen === undefined) return;
    const { model } = chosen;
    if (await this.#tester.answers(model.name, (signal) => this.#tester.test(model, signal))) await this.#use(model);
  }

  /** Asks for one of a server's models, and adds and uses it if it answers. */
  async #addFrom(server: AddedServer): Promise<void> {
    const ids = server.models ?? (await listModels(server));
    if (ids.length === 0) {
      throw new Error(t("{0} has no models yet. Download one there, then try again.", server.name));
    }
    const title = t("Select a Model from {0}", server.name);
    const id = ids.length === 1 ? ids[0] : await vscode.window.showQuickPick([...ids], { title });
    if (id === undefined) return;
    if (!(await this.#tester.answers(id, (signal) => this.#tester.testServer(server, id, signal)))) return;
    const { id: provider, baseUrl, variable } = server;
    await addToModelsFile(this.#chats.focused.session.folder, { provider, baseUrl, apiKey: variable, id });
    await restartAll(this.#chats);
    const model = (await this.#models()).find((one) => one.provider === provider && one.id === id);
    if (model === undefined) throw new Error(t("The agent doesn't list {0}. See the log.", id));
    await this.#use(model);
  }

  async #use(model: Model): Promise<void> {
    const { focused } = this.#chats;
    await focused.request("set_model", { provider: model.provider, modelId: model.id });
    await this.#recent.add(modelName(model));
    await focused.refresh();
    void vscode.window.showInformationMessage(t("{0} is ready to use.", model.name));
  }

  /** Returns the agent's models without the demo; none if the agent can't be asked. */
  async #models(): Promise<Model[]> {
    const { models } = await this.#chats.focused.request("get_available_models", {}).catch(() => ({ models: [] }));
    return models.filter(({ provider }) => provider !== "demo");
  }

  async #keySource(provider: KeyProvider): Promise<KeySource> {
    return { provider, found: await this.#apiKey.find(provider) };
  }
}

function serverOf({ id, name, variable, chatUrl = "" }: KeyProvider, key: string): AddedServer {
  return { id, name, baseUrl: chatUrl, key, variable };
}
