import * as vscode from "vscode";
import { errorMessage } from "../../../agent/protocol/errors.ts";
import type { Model } from "../../../agent/protocol/model.ts";
import { t } from "../../../webview/l10n.ts";
import { EDITOR_PROVIDER } from "../../core/connection/editor-provider.ts";
import { isAddressOf, KEY_PROVIDERS } from "../../core/keys/key-providers.ts";
import { type ModelServer, testModel } from "../../core/setup/server-models.ts";
import { type ApiKey, baseUrlOf } from "./api-key.ts";
import { checkKey } from "./key-check.ts";

/** Tests models before they are used. */
export class ModelTester {
  readonly #apiKey: ApiKey;

  constructor(apiKey: ApiKey) {
    this.#apiKey = apiKey;
  }

  /** Runs a test and shows its progress, and a failure. @returns false if it failed or the user canceled it. */
  async answers(name: string, test: (signal: AbortSignal) => Promise<void>): Promise<boolean> {
    const location = vscode.ProgressLocation.Notification;
    const title = t("Testing {0}…", name);
    try {
      return await vscode.window.withProgress({ location, title, cancellable: true }, async (_, token) => {
        const canceled = new AbortController();
        token.onCancellationRequested(() => canceled.abort());
        await test(canceled.signal).catch((error: unknown) => {
          if (!canceled.signal.aborted) throw error;
        });
        return !canceled.signal.aborted;
      });
    } catch (error) {
      const again = t("Select Another Model");
      const chosen = await vscode.window.showErrorMessage(
        t("{0} didn't answer. {1}", name, errorMessage(error)),
        again,
      );
      if (chosen === again) await vscode.commands.executeCommand("tiller.setUpModel");
      return false;
    }
  }

  /** Tests a model of the agent. Rejects with a text for people. */
  async test({ id, provider, api, baseUrl }: Model, signal: AbortSignal): Promise<void> {
    if (provider === EDITOR_PROVIDER) return testEditorModel(id, signal);
    const known = KEY_PROVIDERS.find((candidate) => candidate.id === provider);
    // If models.json sets an address, the key in that file applies, which only the agent has.
    if (known !== undefined && !isAddressOf(known, baseUrl, baseUrlOf(known))) return;
    const key = known && (await this.#apiKey.find(known))?.key;
    if (api === "openai-completions") return testModel({ baseUrl, key }, id, { signal });
    if (known === undefined || key === undefined) return;
    const verdict = await checkKey(known, key, { baseUrl: baseUrlOf(known), signal });
    if (verdict.kind === "refused" || verdict.kind === "unreachable") throw new Error(verdict.text);
  }

  /** Tests a model of a server. Rejects with a text for people. */
  testServer(server: ModelServer, model: string, signal: AbortSignal): Promise<void> {
    return testModel(server, model, { signal });
  }
}

/** The editor asks the user for permission the first time. */
async function testEditorModel(id: string, signal: AbortSignal): Promise<void> {
  const [model] = await vscode.lm.selectChatModels({ id });
  if (model === undefined) throw new Error(t("The editor no longer has this model."));
  const canceled = new vscode.CancellationTokenSource();
  signal.addEventListener("abort", () => canceled.cancel(), { once: true });
  try {
    const messages = [vscode.LanguageModelChatMessage.User("Reply with OK.")];
    const { text } = await model.sendRequest(messages, {}, canceled.token);
    for await (const _ of text) break;
  } finally {
    canceled.dispose();
  }
}
