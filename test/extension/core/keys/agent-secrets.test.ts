import { expect, test } from "vitest";
import type { HostSecretRequest } from "../../../../agent/protocol/host-secrets.ts";
import { keepSecret } from "../../../../extension/core/keys/agent-secrets.ts";
import type { KeyStorage } from "../../../../extension/core/keys/stored-keys.ts";

function storage(stored: Map<string, string>): KeyStorage {
  return {
    get: async (name) => stored.get(name),
    store: async (name, value) => void stored.set(name, value),
    delete: async (name) => void stored.delete(name),
  };
}

async function answerTo(keep: KeyStorage, request: Omit<HostSecretRequest, "type" | "id">): Promise<unknown> {
  let answer: unknown;
  await keepSecret(keep, { type: "host_secret_request", id: "r1", ...request }, (result) => {
    answer = result;
  });
  return answer;
}

test("the agent's secrets are stored, read, and deleted", async () => {
  const stored = new Map<string, string>();
  const key = "https://far.example/mcp?token=abc";
  const done = { type: "host_secret_result", id: "r1", secret: undefined };
  expect(await answerTo(storage(stored), { action: "get", key })).toEqual(done);
  expect(await answerTo(storage(stored), { action: "store", key, secret: "s" })).toEqual(done);
  expect(await answerTo(storage(stored), { action: "get", key })).toEqual({ ...done, secret: "s" });
  expect([...stored.keys()].join()).not.toContain("abc");
  expect(await answerTo(storage(stored), { action: "delete", key })).toEqual(done);
  expect(stored.size).toBe(0);
});

test("the agent can't read an API key", async () => {
  const stored = new Map([["tiller.anthropicApiKey", "sk"]]);
  expect(await answerTo(storage(stored), { action: "get", key: "tiller.anthropicApiKey" })).toMatchObject({
    secret: undefined,
  });
});

test("a storage that fails is an answer, too", async () => {
  const broken = { ...storage(new Map()), get: () => Promise.reject(new Error("The keychain is locked.")) };
  expect(await answerTo(broken, { action: "get", key: "k" })).toEqual({
    type: "host_secret_result",
    id: "r1",
    error: "The keychain is locked.",
  });
});
