import { createHash } from "node:crypto";
import { errorMessage } from "../../../agent/protocol/errors.ts";
import type { HostSecretRequest, HostSecretResult } from "../../../agent/protocol/host-secrets.ts";
import type { KeyStorage } from "./stored-keys.ts";

/** The prefix that separates these secrets from API keys, which agents can't request. */
const PREFIX = "tiller.agentSecret.";

/** Reads, stores, or deletes a secret for the agent, and sends the result. Never rejects. */
export async function keepSecret(
  storage: KeyStorage,
  request: HostSecretRequest,
  send: (result: HostSecretResult) => void,
): Promise<void> {
  const head = { type: "host_secret_result", id: request.id } as const;
  try {
    send({ ...head, secret: await fulfill(storage, request) });
  } catch (error) {
    send({ ...head, error: errorMessage(error) });
  }
}

async function fulfill(storage: KeyStorage, { action, key, secret }: HostSecretRequest): Promise<string | undefined> {
  // The editor encrypts values, not names, and an address may contain a token.
  const name = `${PREFIX}${createHash("sha256").update(key).digest("hex")}`;
  switch (action) {
    case "get":
      return storage.get(name);
    case "store":
      await storage.store(name, secret ?? "");
      return undefined;
    case "delete":
      await storage.delete(name);
      return undefined;
  }
}
