import * as vscode from "vscode";
import { type CustomModel, CustomModels } from "../../../agent/client/custom-models.ts";
import { errorMessage } from "../../../agent/protocol/errors.ts";
import type { HostModelDefinition, HostModelRequest } from "../../../agent/protocol/host-models.ts";
import type { ChatLog, HostModelPort } from "../../chat/chat-ports.ts";
import { EDITOR_PROVIDER } from "../../core/connection/editor-provider.ts";
import { agentModelId, describeEditorModels } from "./model-list.ts";
import type { PromptCounter } from "./prompt-counter.ts";

/** The editor's language models: those of Copilot, and of other extensions. They are listed when the first agent is started. */
export class EditorModels implements vscode.Disposable {
  readonly #log: ChatLog;
  readonly #changed: () => void;
  #subscription: vscode.Disposable | undefined;
  #looking: Promise<void> | undefined;
  #mustLookAgain = false;
  #models: readonly vscode.LanguageModelChat[] = [];
  #definitions: readonly HostModelDefinition[] = [];

  /** @param changed is called when the models have changed. */
  constructor(log: ChatLog, changed: () => void) {
    this.#log = log;
    this.#changed = changed;
  }

  /** Lists the models, and again whenever the editor reports a change. */
  watch(): void {
    if (this.#subscription !== undefined) return;
    this.#subscription = vscode.lm.onDidChangeChatModels(() => this.#look());
    this.#look();
  }

  /** Returns the port to the models for one chat. */
  port(): HostModelPort {
    const requests = new CustomModels();
    const counters = new Map<string, PromptCounter>();
    const definitions = () => this.#definitions;
    return {
      provider: EDITOR_PROVIDER,
      get definitions() {
        return definitions();
      },
      request: (request, send) => {
        requests.replace(this.#models.map((model) => toCustomModel(model, counters)));
        return requests.run(request, send);
      },
      cancel: (id) => requests.cancel(id),
      cancelAll: () => requests.cancelAll(),
    };
  }

  dispose(): void {
    this.#subscription?.dispose();
  }

  /** Lists the models, one listing at a time; changes meanwhile cause another one. */
  #look(): void {
    this.#mustLookAgain = true;
    this.#looking ??= this.#lookWhileNeeded()
      .catch((error: unknown) => this.#log.warn(`Couldn't list the editor's models: ${errorMessage(error)}`))
      .finally(() => {
        this.#looking = undefined;
      });
  }

  async #lookWhileNeeded(): Promise<void> {
    while (this.#mustLookAgain) {
      this.#mustLookAgain = false;
      const models = await vscode.lm.selectChatModels();
      const definitions = describeEditorModels(models);
      this.#models = models;
      if (JSON.stringify(definitions) === JSON.stringify(this.#definitions)) continue;
      this.#definitions = definitions;
      this.#log.info(`The editor has ${definitions.length} language models.`);
      this.#changed();
    }
  }
}

/** Wraps a model; the code that queries it is loaded with the first request. */
function toCustomModel(model: vscode.LanguageModelChat, counters: Map<string, PromptCounter>): CustomModel {
  const id = agentModelId(model);
  return {
    id,
    async *answer(request: HostModelRequest, { signal }) {
      const [{ askEditorModel }, { PromptCounter }] = await Promise.all([
        import("./ask-editor-model.ts"),
        import("./prompt-counter.ts"),
      ]);
      const counter = counters.get(id) ?? new PromptCounter();
      counters.set(id, counter);
      yield* askEditorModel(model, request, counter, signal);
    },
  };
}
