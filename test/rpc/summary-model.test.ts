import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ScriptedModel } from "../support/scripted-model.ts";
import { httpError, reply } from "../support/scripted-replies.ts";
import { AgentUnderTest } from "../support/spawn-agent.ts";

let model: ScriptedModel;
let small: ScriptedModel;
let agentDir: string;
let agent: AgentUnderTest;

beforeEach(async () => {
  model = await ScriptedModel.start();
  small = await ScriptedModel.start();
  agentDir = mkdtempSync(join(tmpdir(), "tiller-summary-model-"));
  const thinking = { minLevel: "low", maxLevel: "high", mode: "adaptive" };
  const models = [{ id: "tiny", reasoning: true, thinking, contextWindow: 20_000, maxTokens: 3000 }];
  const cheap = { baseUrl: small.url, api: "anthropic-messages", apiKey: "k", models };
  writeFileSync(join(agentDir, "models.json"), JSON.stringify({ providers: { cheap } }));
});

afterEach(async () => {
  await agent.dispose();
  rmSync(agentDir, { recursive: true, force: true });
  await model.stop();
  await small.stop();
});

/** Talks enough to be summarized; the small model names the session. */
async function talk(summaryModel: string): Promise<void> {
  const settings = { summaryModel, compaction: { keepRecentTokens: 50 }, retry: { enabled: false } };
  writeFileSync(join(agentDir, "settings.json"), JSON.stringify(settings));
  agent = new AgentUnderTest({ modelUrl: model.url, agentDir });
  model.enqueue(reply("word ".repeat(200)), reply("word ".repeat(200)));
  await agent.run("Fix the parser");
  await agent.run("and the printer");
}

const notices = () => agent.frames.filter(({ method }) => method === "notify").map(({ message }) => String(message));

describe("summaryModel", () => {
  it("names new sessions and makes the summaries", async () => {
    small.enqueue(reply("Parser repair"), reply("SUMMARY"), reply("REST"));
    await talk("cheap/tiny");
    await expect.poll(async () => (await agent.call("get_state")).sessionName).toBe("Parser repair");
    expect(await agent.call("compact")).toMatchObject({ summary: expect.stringContaining("SUMMARY") });
    expect(model.requests).toHaveLength(2);
  });

  it("with a level thinks so much before a summary, and not before a name", async () => {
    small.enqueue(reply("Parser repair"), reply("SUMMARY"), reply("REST"));
    await talk("cheap/tiny:high");
    await expect.poll(async () => (await agent.call("get_state")).sessionName).toBe("Parser repair");
    await agent.call("compact");
    const [title, ...summaries] = small.requests.map(({ body }) => body.output_config?.effort);
    expect([title, ...new Set(summaries)]).toEqual([undefined, "high"]);
  });

  it("that fails leaves the summary to the session's model, and the chat says so", async () => {
    const broken = () => httpError(400, "invalid_request_error", "bad");
    small.enqueue(broken(), broken());
    model.enqueue();
    await talk("cheap/tiny");
    model.enqueue(reply("SUMMARY"), reply("REST"));
    expect(await agent.call("compact")).toMatchObject({ summary: expect.stringContaining("SUMMARY") });
    expect(notices()).toEqual([
      expect.stringMatching(/^Couldn't summarize with your "summaryModel": .*bad.* does it instead\.$/),
    ]);
  });

  it("that doesn't exist leaves the summary to the session's model", async () => {
    await talk("nobody/none");
    model.enqueue(reply("SUMMARY"), reply("REST"));
    await agent.call("compact");
    expect(notices()).toEqual([expect.stringContaining('No models match "nobody/none".')]);
  });
});
