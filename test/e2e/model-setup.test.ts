import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { useWorkbench } from "./support/workbench.ts";

const workbench = useWorkbench({ hasKey: false, env: { GROQ_API_KEY: "found-key" } });

/** Stands in for Ollama on its usual port. */
const ollama = createServer((request, response) => {
  const isList = request.url === "/v1/models";
  const answer = { choices: [{ message: { role: "assistant", content: "OK" } }] };
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(isList ? { data: [{ id: "qwen3:8b" }] } : answer));
});

beforeAll(() => new Promise<void>((resolve) => ollama.listen(11434, "127.0.0.1", resolve)));
afterAll(() => {
  ollama.closeAllConnections();
  return new Promise((resolve) => ollama.close(resolve));
});

test("a model of a local server is found, tested, added, and used", async () => {
  const opened = await workbench().openChat();
  await opened.chat.getByRole("button", { name: "Set Up a Model" }).first().click();
  await opened.quickPickOption(/Ollama, 1 model · 127\.0\.0\.1:11434/).waitFor();
  await opened.quickPickOption(/Groq, GROQ_API_KEY in the environment/).waitFor();
  await opened.quickPickOption(/Anthropic, Get a key at console\.anthropic\.com/).waitFor();
  await workbench().screenshot(opened.page, "set-up-model");
  await opened.quickPickOption(/Ollama/).click();
  await opened.page.getByText("qwen3:8b is ready to use.").first().waitFor();
  await opened.chat.getByRole("button", { name: "Model: qwen3:8b" }).waitFor();
  expect(await opened.chat.getByRole("button", { name: "Set Up a Model" }).count()).toBe(0);
  const folder = join(workbench().server.home, ".tiller", "agent");
  expect(readFileSync(join(folder, "models.json"), "utf8")).toContain('"id": "qwen3:8b"');
});
