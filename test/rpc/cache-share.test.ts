import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { cachedShare } from "../support/prompt-cache.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { type RecordedRequest, reply, type ScriptedBlock, text, toolCall } from "../support/scripted-replies.ts";
import { AgentUnderTest } from "../support/spawn-agent.ts";

const ANSWER = "This is what I found out about it. ".repeat(10);

let model: ScriptedModel;
let folder: string;
let agent: AgentUnderTest;

beforeEach(async () => {
  model = await ScriptedModel.start();
  folder = mkdtempSync(join(tmpdir(), "tiller-cache-"));
  const middle = { id: "middle", contextWindow: 50_000, maxTokens: 3000 };
  const local = { baseUrl: model.url, api: "anthropic-messages", apiKey: "LOCAL_KEY", models: [middle] };
  writeFileSync(join(folder, "models.json"), JSON.stringify({ providers: { local } }));
  writeFileSync(join(folder, "settings.json"), JSON.stringify({ compaction: { keepRecentTokens: 5000 } }));
  const args = ["--model", "local/middle"];
  agent = new AgentUnderTest({ agentDir: folder, args, env: { LOCAL_KEY: "k" } });
});

afterEach(async () => {
  await agent.dispose();
  rmSync(folder, { recursive: true, force: true });
  await model.stop();
});

/** Runs prompts, each answered after these calls. The model reports the size of each request. @returns the types of all frames. */
async function talk(prompts: number, calls: () => ScriptedBlock[]): Promise<string[]> {
  const answer = (blocks: ScriptedBlock[]) => (request: RecordedRequest) =>
    reply(blocks, { usage: { input_tokens: Math.ceil(JSON.stringify(request.body.messages).length / 4) } });
  const types: string[] = [];
  for (let prompt = 1; prompt <= prompts; prompt++) {
    const blocks = calls();
    if (blocks.length > 0) model.enqueue(answer(blocks));
    model.enqueue(answer([text(ANSWER)]));
    types.push(...agent.types(await agent.run(`Please look into matter number ${prompt}.`)));
  }
  return types;
}

function share(): number {
  return cachedShare(model.requests.map(({ body }) => body));
}

describe("the share of a session that the provider's cache serves", () => {
  it("is nearly all of 30 prompts", async () => {
    await talk(30, () => []);
    expect(share()).toBeGreaterThan(0.94);
  });

  it("stays large with 25 calls in a turn", async () => {
    await talk(8, () => Array.from({ length: 25 }, () => toolCall("ls")));
    expect(share()).toBeGreaterThan(0.83);
  });

  it("stays large while old results are pruned again and again", async () => {
    writeFileSync(join(agent.cwd, "big.txt"), "0123456789abcdefghi\n".repeat(600));
    const types = await talk(30, () => [toolCall("read", { path: "big.txt" })]);
    expect(types).not.toContain("compaction_start");
    expect(JSON.stringify(model.requests.at(-1)?.body).match(/left out to save space/g)?.length).toBeGreaterThan(10);
    expect(share()).toBeGreaterThan(0.84);
  });
});
