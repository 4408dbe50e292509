import * as vscode from "vscode";
import { t } from "../../../webview/l10n.ts";
import { KEY_PROVIDERS, type KeyProvider } from "../../core/keys/key-providers.ts";
import { deleteKey, storedKeys, storeKey } from "../../core/keys/stored-keys.ts";
import { readSetting } from "../../editor/settings.ts";
import type { Chats } from "../../window/chats.ts";
import { restartAgent } from "../sessions/keep-chat.ts";
import { checkKey } from "./key-check.ts";

/** The user's keys. They are kept in the editor's secret storage, passed only to the agent, and never logged. */
export class ApiKey {
  readonly #secrets: vscode.SecretStorage;
  readonly #chats: Chats;

  /** @param chats the chats whose agents get the keys. */
  constructor(secrets: vscode.SecretStorage, chats: Chats) {
    this.#secrets = secrets;
    this.#chats = chats;
  }

  /** Asks for a key, tests and stores it, and restarts the agent with it in the same session. @param id the provider; default is to ask. */
  async ask(id?: string): Promise<void> {
    const provider = KEY_PROVIDERS.find((candidate) => candidate.id === id) ?? (await this.#pickProvider());
    if (provider === undefined || (await this.add(provider)) === undefined) return;
    await restartAll(this.#chats);
    await this.#leaveDemoModel(provider);
  }

  /** Asks for a key, tests and stores it; agents get it at their next start. @returns the key; undefined when the user gives none. */
  async add(provider: KeyProvider): Promise<string | undefined> {
    const key = await askForKey(provider);
    if (key !== undefined) await storeKey(this.#secrets, provider.id, key);
    return key;
  }

  /** Returns the key that the agent would use for a provider: the stored one, or that of its environment. */
  async find({
    variable,
    otherVariable = variable,
  }: KeyProvider): Promise<{ readonly key: string; readonly isStored: boolean } | undefined> {
    const stored = (await storedKeys(this.#secrets))[variable];
    if (stored !== undefined) return { key: stored, isStored: true };
    const env = { ...process.env, ...readSetting("agent.env") };
    const key = env[variable]?.trim() || env[otherVariable]?.trim();
    return key ? { key, isStored: false } : undefined;
  }

  /** Deletes a key and restarts the agent without it. */
  async remove(): Promise<void> {
    const stored = await storedKeys(this.#secrets);
    const providers = KEY_PROVIDERS.filter(({ variable }) => stored[variable] !== undefined);
    if (providers.length === 0) {
      void vscode.window.showInformationMessage(t("No API keys are stored."));
      return;
    }
    const items = providers.map((provider) => ({ label: provider.name, provider }));
    const chosen = await vscode.window.showQuickPick(items, { title: t("Select an API Key to Remove") });
    if (chosen === undefined) return;
    await deleteKey(this.#secrets, chosen.provider.id);
    await restartAll(this.#chats);
  }

  async #pickProvider(): Promise<KeyProvider | undefined> {
    const stored = await storedKeys(this.#secrets);
    const items = KEY_PROVIDERS.map((provider) => ({
      label: provider.name,
      description: stored[provider.variable] === undefined ? "" : t("stored; a new key replaces it"),
      provider,
    }));
    const chosen = await vscode.window.showQuickPick(items, { title: t("Select a Provider") });
    return chosen?.provider;
  }

  /** Switches a session from the demo model to a real one: a user who sets a key wants that. */
  async #leaveDemoModel(provider: KeyProvider): Promise<void> {
    const { focused } = this.#chats;
    const state = await focused.request("get_state", { omit: ["systemPrompt", "dumpTools"] });
    if (state.model !== null && state.model.provider !== "demo") return;
    const { models } = await focused.request("get_available_models", {});
    const model = models.find((candidate) => candidate.provider === provider.id);
    if (model === undefined) return;
    await focused.request("set_model", { provider: model.provider, modelId: model.id });
    await focused.refresh();
  }
}

/** Restarts all running agents, and the focused one in any case; the others get the keys when they start. */
export async function restartAll({ hub, focused }: Chats): Promise<void> {
  const affected = hub.chats.filter((chat) => chat === focused || chat.agent.client !== undefined);
  await Promise.all(affected.map(restartAgent));
}

/** @returns a key that the provider accepts, or that the user wants untested. */
function askForKey(provider: KeyProvider): Promise<string | undefined> {
  const box = vscode.window.createInputBox();
  box.title = t("{0} API Key", provider.name);
  box.prompt = t(
    "Tiller tests the key with the provider, stores it in the editor's secret storage, and gives it only to the agent",
  );
  box.placeholder = provider.placeholder || t("Paste your API key");
  box.password = true;
  box.ignoreFocusOut = true;
  box.buttons = [{ iconPath: new vscode.ThemeIcon("link-external"), tooltip: t("Get an API Key") }];
  box.onDidTriggerButton(() => void vscode.env.openExternal(vscode.Uri.parse(provider.keysUrl)));
  const closed = new AbortController();
  /** The key that Enter accepts without another test, since the provider could not be reached. */
  let untested: string | undefined;
  return new Promise((resolve) => {
    const done = (key: string | undefined) => {
      resolve(key);
      box.hide();
    };
    box.onDidChangeValue(() => {
      untested = undefined;
      box.validationMessage = undefined;
    });
    box.onDidHide(() => {
      closed.abort();
      resolve(undefined);
      box.dispose();
    });
    box.onDidAccept(async () => {
      const key = box.value.trim();
      if (key === "" || box.busy) return;
      if (/[^\x21-\x7e]/.test(key)) {
        box.validationMessage = t("API keys can't contain spaces or non-ASCII characters.");
        return;
      }
      if (key === untested) return done(key);
      box.busy = true;
      const verdict = await checkKey(provider, key, { baseUrl: baseUrlOf(provider), signal: closed.signal });
      if (closed.signal.aborted) return;
      box.busy = false;
      if (verdict.kind === "good" || verdict.kind === "unknown") return done(key);
      // Changed during the test: the result is about another text.
      if (box.value.trim() !== key) return;
      if (verdict.kind === "unreachable") untested = key;
      box.validationMessage =
        verdict.kind === "unreachable"
          ? t("{0} Press Enter again to store the key without testing it.", verdict.text)
          : verdict.text;
    });
    box.show();
  });
}

/** Returns the base URL that the agent would use, according to its environment. */
export function baseUrlOf({ addressVariable }: KeyProvider): string | undefined {
  if (addressVariable === undefined) return undefined;
  return readSetting("agent.env")[addressVariable]?.trim() || process.env[addressVariable]?.trim() || undefined;
}
