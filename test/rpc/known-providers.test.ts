import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { geminiEvents } from "../support/gemini-events.ts";
import { responseEvents } from "../support/responses-events.ts";
import { converseReply, ScriptedBedrock } from "../support/scripted-bedrock.ts";
import { answerText, ScriptedCompletions } from "../support/scripted-completions.ts";
import { ScriptedGemini } from "../support/scripted-gemini.ts";
import { ScriptedResponses } from "../support/scripted-responses.ts";
import { AgentUnderTest, BUILT_AGENT } from "../support/spawn-agent.ts";

let server: ScriptedCompletions;
let agentDir: string;
let agent: AgentUnderTest | undefined;

beforeEach(async () => {
  server = await ScriptedCompletions.start();
  agentDir = mkdtempSync(join(tmpdir(), "tiller-known-"));
});

afterEach(async () => {
  await agent?.dispose();
  agent = undefined;
  await server.stop();
  rmSync(agentDir, { recursive: true });
});

/** Sends a provider to a scripted server, with the key of its variable. */
function redirect(provider: string, apiKey: string, baseUrl = server.url): void {
  writeFileSync(join(agentDir, "models.json"), JSON.stringify({ providers: { [provider]: { baseUrl, apiKey } } }));
}

describe("with nothing but the key of a provider", () => {
  it.each([
    ["xai", "XAI_API_KEY", "grok-4.7"],
    ["mistral", "MISTRAL_API_KEY", "mistral-large-4"],
    ["deepseek", "DEEPSEEK_API_KEY", "deepseek-v4-pro"],
    ["openrouter", "OPENROUTER_API_KEY", "openai/gpt-6.1-sol"],
    ["fireworks", "FIREWORKS_API_KEY", "accounts/fireworks/models/kimi-k3"],
    ["together", "TOGETHER_API_KEY", "moonshotai/Kimi-K3"],
    ["cerebras", "CEREBRAS_API_KEY", "gpt-oss-120b"],
    ["groq", "GROQ_API_KEY", "openai/gpt-oss-120b"],
  ])("the best model of %s answers", async (provider, variable, best) => {
    redirect(provider, variable);
    server.enqueue(answerText("Here I am."));
    agent = new AgentUnderTest({ agentDir, env: { [variable]: "the-key" } });
    const frames = await agent.run("Hello");
    expect(frames.findLast(({ type }) => type === "message_end")).toMatchObject({
      message: { provider, model: best, content: [{ type: "text", text: "Here I am." }] },
    });
    expect(server.requests).toMatchObject([{ headers: { authorization: "Bearer the-key" }, body: { model: best } }]);
  });

  it("the best model of OpenAI answers, at the address of the environment", async () => {
    const responses = await ScriptedResponses.start();
    responses.enqueue({ kind: "events", events: responseEvents([{ kind: "text", id: "msg_1", text: "Here I am." }]) });
    const env = { OPENAI_API_KEY: "the-key", OPENAI_BASE_URL: responses.url };
    agent = new AgentUnderTest({ agentDir, env });
    const frames = await agent.run("Hello");
    await responses.stop();
    expect(frames.findLast(({ type }) => type === "message_end")).toMatchObject({
      message: { provider: "openai", model: "gpt-6.1-sol", content: [{ type: "text", text: "Here I am." }] },
    });
    expect(responses.requests).toMatchObject([
      { headers: { authorization: "Bearer the-key" }, body: { model: "gpt-6.1-sol" } },
    ]);
  });

  it("the best model of Google answers, over its own API", async () => {
    const gemini = await ScriptedGemini.start();
    redirect("google", "GEMINI_API_KEY", gemini.url);
    gemini.enqueue({ kind: "events", events: geminiEvents([{ text: "Here I am." }]) });
    agent = new AgentUnderTest({ agentDir, env: { GEMINI_API_KEY: "the-key" } });
    const frames = await agent.run("Hello");
    await gemini.stop();
    expect(frames.findLast(({ type }) => type === "message_end")).toMatchObject({
      message: { provider: "google", model: "gemini-4-argon", content: [{ type: "text", text: "Here I am." }] },
    });
    expect(gemini.requests).toMatchObject([
      { headers: { "x-goog-api-key": "the-key" }, path: expect.stringContaining("/models/gemini-4-argon:") },
    ]);
  });

  it("the best model of Bedrock answers, asked with the keys of AWS", async () => {
    const keys = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "very/secret+key" };
    const bedrock = await ScriptedBedrock.start({ region: "eu-west-1", keys: [keys] });
    bedrock.enqueue({ kind: "frames", frames: converseReply([{ text: "Here I am." }]) });
    agent = new AgentUnderTest({
      agentDir,
      env: {
        AWS_ACCESS_KEY_ID: keys.accessKeyId,
        AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
        AWS_REGION: "eu-west-1",
        AWS_ENDPOINT_URL_BEDROCK_RUNTIME: bedrock.url,
      },
    });
    const frames = await agent.run("Hello");
    await bedrock.stop();
    expect(frames.findLast(({ type }) => type === "message_end")).toMatchObject({
      message: {
        provider: "amazon-bedrock",
        model: "global.anthropic.claude-opus-5-5",
        content: [{ type: "text", text: "Here I am." }],
      },
    });
    expect(JSON.stringify(frames) + agent.stderr).not.toContain(keys.secretAccessKey);
  });

  it("the best model of Azure OpenAI answers, at the address of the environment", async () => {
    const responses = await ScriptedResponses.start();
    responses.enqueue({ kind: "events", events: responseEvents([{ kind: "text", id: "msg_1", text: "Here I am." }]) });
    agent = new AgentUnderTest({
      agentDir,
      env: { AZURE_OPENAI_API_KEY: "the-key", AZURE_OPENAI_BASE_URL: responses.url },
    });
    const frames = await agent.run("Hello");
    await responses.stop();
    expect(frames.findLast(({ type }) => type === "message_end")).toMatchObject({
      message: { provider: "azure", model: "gpt-6.1-sol", content: [{ type: "text", text: "Here I am." }] },
    });
    expect(responses.requests).toMatchObject([{ headers: { "api-key": "the-key" }, body: { model: "gpt-6.1-sol" } }]);
  });

  it("its models are listed, and no others", () => {
    const env = { PATH: process.env.PATH, HOME: agentDir, PI_CODING_AGENT_DIR: agentDir, GOOGLE_API_KEY: "the-key" };
    const { stdout } = spawnSync(process.execPath, [BUILT_AGENT, "--list-models"], { env, encoding: "utf8" });
    const rows = stdout
      .trimEnd()
      .split("\n")
      .map((row) => row.trim().split(/\s{2,}/));
    expect(rows).toContainEqual(["google", "gemini-4-argon", "1.0M", "32.8K", "yes", "yes"]);
    expect(new Set(rows.map(([provider]) => provider))).toEqual(new Set(["provider", "google"]));
  });
});

describe("a model that is named without a key for it", () => {
  it("is known, and the message names the variable", async () => {
    agent = new AgentUnderTest({ agentDir, env: {}, args: ["--no-session", "--model", "xai/grok-4.7"] });
    const response = await agent.request("prompt", { message: "Hello" });
    expect(response).toMatchObject({ success: false, error: expect.stringContaining("No API key found for xai") });
  });

  it("of a cloud is known, and the message says how to sign in", async () => {
    agent = new AgentUnderTest({
      agentDir,
      env: {},
      args: ["--no-session", "--model", "anthropic-vertex/claude-opus-5-5"],
    });
    const response = await agent.request("prompt", { message: "Hello" });
    const error = expect.stringContaining("gcloud auth application-default login");
    expect(response).toMatchObject({ success: false, error });
  });
});
