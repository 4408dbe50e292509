import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type CustomModel, CustomModels } from "../../../../agent/client/custom-models.ts";
import { deferred } from "../../../../agent/util/deferred.ts";
import type { Chat } from "../../../../extension/chat/chat.ts";
import { bringModels } from "../../../../extension/host/editor-models/bring-models.ts";
import { openChat } from "../../../support/open-chat.ts";
import { BUILT_AGENT } from "../../../support/spawn-agent.ts";

let folder: string;
let chat: Chat | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tiller-brought-"));
});
afterEach(async () => {
  await chat?.dispose();
  await rm(folder, { recursive: true });
});

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** A chat with the built agent, to which the models are brought that `models` holds by then. */
function openWith(models: readonly CustomModel[]) {
  const requests = new CustomModels();
  const env = { PATH: process.env.PATH, HOME: folder, PI_CODING_AGENT_DIR: join(folder, "agent") };
  const args = [BUILT_AGENT, "--mode", "rpc", "--no-session", "--host-provider", "vscode"];
  const opened = openChat(folder, {
    launch: async () => ({ file: process.execPath, args, cwd: folder, env }),
    hostModels: {
      provider: "vscode",
      get definitions() {
        return models.map(({ id, name }) => ({ id, name }));
      },
      request: (request, send) => {
        requests.replace(models);
        return requests.run(request, send);
      },
      cancel: (id) => requests.cancel(id),
      cancelAll: () => requests.cancelAll(),
    },
  });
  chat = opened.chat;
  return opened;
}

function fox(answer: CustomModel["answer"]): CustomModel {
  return { id: "acme/fox", name: "Fox", answer };
}

test("models that appear while the agent runs are added to it, and answer in the chat", async () => {
  const models: CustomModel[] = [];
  const { chat, items, ui } = openWith(models);
  await chat.agent.start();
  expect(ui().modelLabel).toBe("No model");
  models.push(
    fox(async function* () {
      yield "Ring-ding.";
    }),
  );
  bringModels([chat], log);
  await expect.poll(() => ui().modelLabel, { timeout: 20_000 }).toBe("Fox");
  await chat.prompt({ text: "What does it say?", delivery: "steer" });
  await expect.poll(() => JSON.stringify(items()), { timeout: 20_000 }).toContain("Ring-ding.");
});

test("a restarted agent gets the models at once, and a request of the earlier one is cancelled", async () => {
  const isAsked = deferred<void>();
  const isCalledOff = deferred<void>();
  const { chat, ui } = openWith([
    fox(async function* (_, { signal }) {
      signal.addEventListener("abort", () => isCalledOff.resolve(), { once: true });
      isAsked.resolve();
      yield "Well";
      await isCalledOff.promise;
    }),
  ]);
  await chat.prompt({ text: "Hello?", delivery: "steer" });
  await isAsked.promise;
  await chat.restart();
  await isCalledOff.promise;
  expect(ui().modelLabel).toBe("Fox");
});
