import { KEY_PROVIDERS } from "./key-providers.ts";

/** The part of `vscode.SecretStorage` that is used here. */
export interface KeyStorage {
  get(name: string): Thenable<string | undefined>;
  store(name: string, value: string): Thenable<void>;
  delete(name: string): Thenable<void>;
}

/** Returns the name under which the key of a provider is stored. */
function nameOf(provider: string): string {
  return provider === "anthropic" ? "tiller.anthropicApiKey" : `tiller.apiKey.${provider}`;
}

/** Reads the stored keys, by the environment variable that the agent reads. */
export async function storedKeys(storage: Pick<KeyStorage, "get">): Promise<Record<string, string>> {
  const found = await Promise.all(
    KEY_PROVIDERS.map(async ({ id, variable }) => ({ variable, key: await storage.get(nameOf(id)) })),
  );
  return Object.fromEntries(found.flatMap(({ variable, key }) => (key ? [[variable, key]] : [])));
}

export async function storeKey(storage: KeyStorage, provider: string, key: string): Promise<void> {
  await storage.store(nameOf(provider), key);
}

export async function deleteKey(storage: KeyStorage, provider: string): Promise<void> {
  await storage.delete(nameOf(provider));
}
