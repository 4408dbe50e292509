import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Env } from "../../agent/config/paths.ts";
import { nearModels } from "../../agent/providers/match-models.ts";
import { createModelRegistry } from "../../agent/providers/registry.ts";

let agentDir: string;
let warnings: string[];

beforeEach(async () => {
  agentDir = await mkdtemp(join(tmpdir(), "tiller-models-"));
  warnings = [];
});

afterEach(async () => {
  await rm(agentDir, { recursive: true });
});

async function registry(
  env: Env = {},
  modelsJson?: string,
  more: Partial<Parameters<typeof createModelRegistry>[0]> = {},
) {
  if (modelsJson !== undefined) await writeFile(join(agentDir, "models.json"), modelsJson);
  return await createModelRegistry({
    agentDir,
    env,
    enableDemo: false,
    warn: (message) => warnings.push(message.replaceAll(agentDir, "DIR")),
    ...more,
  });
}

const KEY = { ANTHROPIC_API_KEY: "k" };

describe("credentials", () => {
  test("from the environment make a provider's models available", async () => {
    const models = await registry(KEY);
    expect(models.available()[0]).toMatchObject({ provider: "anthropic", id: "claude-opus-5-5" });
    const model = models.find("anthropic", "claude-opus-5-5");
    expect(model && models.resolve(model).apiKey).toBe("k");
  });

  test("that are missing make nothing available and explain what to do", async () => {
    const models = await registry({ ANTHROPIC_API_KEY: "  " });
    expect(models.available()).toEqual([]);
    const [model = expect.unreachable("the catalogue is empty")] = models.all();
    expect(() => models.resolve(model)).toThrow(
      'No API key for anthropic/claude-opus-5-5. Run "Tiller: Set API Key" in VS Code, or set ANTHROPIC_API_KEY and start again.',
    );
  });

  test.each([
    ["amazon-bedrock", { AWS_PROFILE: "dev" }, "global.anthropic.claude-opus-5-5"],
    ["amazon-bedrock", { AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b" }, "global.anthropic.claude-opus-5-5"],
    ["amazon-bedrock", { AWS_BEARER_TOKEN_BEDROCK: "a" }, "global.anthropic.claude-opus-5-5"],
    ["azure", { AZURE_OPENAI_RESOURCE_NAME: "mine" }, "gpt-6.1-sol"],
  ])("of %s are selected by variables: %j", async (provider, env, best) => {
    const models = await registry({ HOME: agentDir, ...env });
    const [first = expect.unreachable("no model is available")] = models.available();
    expect(first).toMatchObject({ provider, id: best });
    expect(models.isPresumed(provider)).toBe(false);
    expect(models.resolve(first).apiKey).toBe(Object.hasOwn(env, "AWS_BEARER_TOKEN_BEDROCK") ? "a" : undefined);
  });

  test("that only AWS's files may have let models be named, but not chosen", async () => {
    await mkdir(join(agentDir, ".aws"));
    const named = { named: ["amazon-bedrock/global.anthropic.claude-opus-5-5"] };
    const without = await registry({ HOME: agentDir }, undefined, named);
    expect(without.hasCredentials("amazon-bedrock")).toBe(false);
    await writeFile(join(agentDir, ".aws/config"), "[default]\nregion = us-east-1\n");
    const models = await registry({ HOME: agentDir }, undefined, named);
    expect(models.hasCredentials("amazon-bedrock")).toBe(true);
    expect(models.isPresumed("amazon-bedrock")).toBe(true);
    expect((await registry({ HOME: agentDir })).available()).toEqual([]);
  });

  test("of AWS choose no model in an editor, which has models of its own", async () => {
    const models = await registry({ HOME: agentDir, AWS_PROFILE: "dev" }, undefined, { hostProvider: "editor" });
    expect(models.available()[0]?.provider).toBe("amazon-bedrock");
    expect(models.isPresumed("amazon-bedrock")).toBe(true);
    const withKey = await registry({ AWS_BEARER_TOKEN_BEDROCK: "k" }, undefined, { hostProvider: "editor" });
    expect(withKey.isPresumed("amazon-bedrock")).toBe(false);
  });

  test("of a sign-in are kept out of what is written", async () => {
    const env = {
      AWS_SECRET_ACCESS_KEY: "aws-secret",
      AWS_SESSION_TOKEN: "aws-token",
      AZURE_CLIENT_SECRET: "azure-secret",
    };
    expect((await registry(env)).secrets()).toEqual(expect.arrayContaining(Object.values(env)));
  });

  test("that are missing for a sign-in name both ways", async () => {
    const models = await registry({ HOME: agentDir }, undefined, { needsAll: true });
    const bedrock = models.find("amazon-bedrock", "global.anthropic.claude-opus-5-5") ?? expect.unreachable();
    expect(() => models.resolve(bedrock)).toThrow(
      "Set AWS_BEARER_TOKEN_BEDROCK, or AWS_PROFILE to a profile of `aws configure sso`, and start again.",
    );
  });

  test("for this process go only to the provider of the selected model", async () => {
    const other = '{"providers":{"other":{"baseUrl":"http://127.0.0.1:1","apiKey":"OTHER_KEY","models":[{"id":"m"}]}}}';
    const models = await registry({}, other, { apiKeyOverride: "mine" });
    const [best] = models.match("anthropic/claude-opus-5-5");
    expect(best && models.resolve(best.model).apiKey).toBe("mine");
    expect(models.hasCredentials("other")).toBe(false);
  });

  test("for this process go to the provider of the pattern", async () => {
    const other =
      '{"providers":{"other":{"baseUrl":"http://127.0.0.1:1","apiKey":"OTHER_KEY","models":[{"id":"opus"}]}}}';
    const models = await registry({}, other, { apiKeyOverride: "mine" });
    expect(models.match("opus", "other").map(({ model }) => model.provider)).toEqual(["other"]);
    expect(models.hasCredentials("other")).toBe(true);
    expect(models.hasCredentials("anthropic")).toBe(false);
  });

  test("of the environment go to no server for which the file names another key or none, whatever its name", async () => {
    const models = await registry(
      { OPENAI_API_KEY: "for OpenAI" },
      '{"providers":{"openai":{"baseUrl":"http://127.0.0.1:1/v1","api":"openai-completions","models":[{"id":"m"}]}}}',
    );
    const model = models.find("openai", "m");
    expect(model && models.resolve(model).apiKey).toBeUndefined();
    expect(await models.fetchKey("openai", new AbortController().signal)).toBeUndefined();
    expect(models.available()).toEqual([model]);
    const unset = await registry(
      { OPENAI_API_KEY: "for OpenAI" },
      '{"providers":{"openai":{"baseUrl":"http://127.0.0.1:1/v1","apiKey":"NEAR_KEY","models":[{"id":"m"}]}}}',
    );
    const near = unset.find("openai", "m");
    expect(() => near && unset.resolve(near)).toThrow("No API key for openai/m. Set NEAR_KEY and start again.");
  });

  test("of the environment go to no address that the file names for a model", async () => {
    const models = await registry(
      { OPENAI_API_KEY: "for OpenAI" },
      '{"providers":{"openai":{"models":[{"id":"m","api":"openai-completions","baseUrl":"http://127.0.0.1:1/v1"}]}}}',
    );
    const model = models.find("openai", "m");
    expect(model && models.resolve(model).apiKey).toBeUndefined();
  });

  test("are not needed for the demo, which exists only when enabled", async () => {
    const models = await registry({}, undefined, { enableDemo: true });
    expect(models.available().map((model) => model.id)).toEqual(["scripted"]);
    expect((await registry()).find("demo", "scripted")).toBeUndefined();
  });
});

describe("known models of other providers", () => {
  const GOOGLE = { GEMINI_API_KEY: "g" };
  const isOther = ({ provider }: { provider: string }) => provider !== "anthropic";

  test("speak the API that models.json names for their provider", async () => {
    const file =
      '{"providers":{"openai":{"baseUrl":"http://127.0.0.1:1/v1","api":"openai-completions","apiKey":"MINE"}}}';
    const models = await registry({ MINE: "k" }, file);
    expect(models.find("openai", "gpt-5.2")).toMatchObject({
      api: "openai-completions",
      baseUrl: "http://127.0.0.1:1/v1",
    });
  });

  test("are found by their name before others whose name only has the same words", async () => {
    const models = await registry({ OPENROUTER_API_KEY: "k" });
    const [best] = models.match("opus 5.5");
    expect(best?.model.id).toMatch(/opus-5\.5/);
  });

  test("are not loaded without a reason", async () => {
    const models = await registry(KEY, undefined, { named: ["opus:high", "anthropic"] });
    expect(models.all().filter(isOther)).toEqual([]);
  });

  test("are loaded for a key, a name, a provider of models.json, or an extension", async () => {
    const file = '{"providers":{"groq":{"apiKey":"OTHER"}}}';
    const loaded = [
      await registry(GOOGLE),
      await registry({}, undefined, { named: ["gemini"] }),
      await registry({}, undefined, { needsAll: true }),
      await registry({}, file),
    ];
    for (const models of loaded) expect(models.find("google", "gemini-4-argon")).toBeDefined();
  });

  test("are not loaded for models of the host or of models.json", async () => {
    const file = '{"providers":{"local":{"baseUrl":"http://127.0.0.1:1","models":[{"id":"m"}]}}}';
    const models = await registry({}, file, { named: ["local/m", "vscode/copilot/gpt-5"], hostProvider: "vscode" });
    expect(models.all().filter(isOther)).toEqual([models.find("local", "m")]);
  });

  test.each([
    [{ GEMINI_API_KEY: "g", GROQ_API_KEY: "q" }, "google/gemini-4-argon"],
    [{ GOOGLE_API_KEY: "g" }, "google/gemini-4-argon"],
    [{ XAI_API_KEY: "x" }, "xai/grok-4.7"],
    [{ OPENAI_API_KEY: "o", GEMINI_API_KEY: "g" }, "openai/gpt-6.1-sol"],
    [{ ANTHROPIC_API_KEY: "k", GEMINI_API_KEY: "g" }, "anthropic/claude-opus-5-5"],
  ])("come with the best one first: %j", async (env, best) => {
    const [model] = (await registry(env)).available();
    expect(model && `${model.provider}/${model.id}`).toBe(best);
  });

  test("come after models that the user defined", async () => {
    const file =
      '{"providers":{"local":{"baseUrl":"http://127.0.0.1:1","models":[{"id":"m"}]},"groq":{"models":[{"id":"n"}]}}}';
    const models = await registry({ GROQ_API_KEY: "q" }, file);
    expect(models.available().slice(0, 3)).toMatchObject([
      { provider: "local", id: "m" },
      { provider: "groq", id: "n" },
      { provider: "groq", id: "openai/gpt-oss-120b" },
    ]);
  });

  test("say which key they need", async () => {
    const models = await registry({}, undefined, { named: ["grok"] });
    const [match] = models.match("grok-4.7", "xai");
    expect(() => match && models.resolve(match.model)).toThrow(
      "No API key for xai/grok-4.7. Set XAI_API_KEY and start again.",
    );
  });

  test("of another address get only a key that models.json names", async () => {
    const at = (entry: object) => JSON.stringify({ providers: { groq: { baseUrl: "http://127.0.0.1:1", ...entry } } });
    const keyOf = async (entry: object) => {
      const models = await registry({ GROQ_API_KEY: "q" }, at(entry));
      const model = models.find("groq", "openai/gpt-oss-120b");
      return model && { at: model.baseUrl, key: models.resolve(model).apiKey };
    };
    expect(await keyOf({})).toEqual({ at: "http://127.0.0.1:1", key: undefined });
    expect(await keyOf({ apiKey: "GROQ_API_KEY" })).toEqual({ at: "http://127.0.0.1:1", key: "q" });
  });

  test("give way to another server of the same name, and add to the models of the same server", async () => {
    const ids = async (baseUrl: string) => {
      const entry = { baseUrl, api: "openai-completions", apiKey: "GROQ_API_KEY", models: [{ id: "m" }] };
      const models = await registry({ GROQ_API_KEY: "q" }, JSON.stringify({ providers: { groq: entry } }));
      return models.available().map(({ id }) => id);
    };
    expect(await ids("http://127.0.0.1:1")).toEqual(["m"]);
    expect((await ids("https://api.groq.com/openai/v1/")).slice(0, 2)).toEqual(["m", "openai/gpt-oss-120b"]);
  });

  test("that a server of several providers has are not mistaken for the provider's own", async () => {
    const models = await registry({ OPENROUTER_API_KEY: "o" });
    expect(models.match("anthropic/claude-opus-5")[0]?.model.provider).toBe("anthropic");
    expect(models.match("openrouter/anthropic/claude-opus-5")[0]?.model.provider).toBe("openrouter");
  });
});

describe("thinking levels", () => {
  test.each([
    ["claude-opus-5-5", ["low", "medium", "high", "xhigh", "max"]],
    ["claude-sonnet-5-5", ["off", "low", "medium", "high", "xhigh", "max"]],
    ["claude-opus-4-6", ["off", "low", "medium", "high", "xhigh"]],
    ["claude-haiku-4-5", ["off", "minimal", "low", "medium", "high", "xhigh"]],
  ])("of %s are those it supports", async (id, levels) => {
    const models = await registry(KEY);
    const model = models.find("anthropic", id);
    expect(model && models.levels(model)).toEqual(levels);
  });

  test("are lowered to the nearest, or raised to the lowest", async () => {
    const models = await registry(KEY);
    const [opus = expect.unreachable("the catalogue is empty")] = models.all();
    expect(models.clampLevel(opus, "off")).toBe("low");
    expect(models.clampLevel({ ...opus, thinkingLevelMap: { xhigh: null, medium: null } }, "xhigh")).toBe("high");
    expect(models.clampLevel({ ...opus, thinkingLevelMap: { xhigh: "max" } }, "max")).toBe("xhigh");
    expect(models.clampLevel({ ...opus, thinkingLevelMap: {} }, "max")).toBe("high");
    expect(models.clampLevel({ ...opus, thinkingLevelMap: { medium: null } }, "medium")).toBe("low");
    expect(models.clampLevel({ ...opus, reasoning: false }, "high")).toBe("off");
  });
});

describe("model patterns", () => {
  test.each([
    ["claude-sonnet-5-5", "claude-sonnet-5-5", undefined],
    ["anthropic/claude-haiku-4-5", "claude-haiku-4-5", undefined],
    ["claude-sonnet-4-5-20250929", "claude-sonnet-4-5-20250929", undefined],
    ["sonnet 4.5", "claude-sonnet-4-5", undefined],
    ["opus 5.5", "claude-opus-5-5", undefined],
    ["Sonnet 5.5:high", "claude-sonnet-5-5", "high"],
    ["claude-*-4-8:max", "claude-opus-4-8", "max"],
    ["local/qwen:7b", "qwen:7b", undefined],
    ["qwen:7b:low", "qwen:7b", "low"],
  ])("%s means %s", async (pattern, id, thinkingLevel) => {
    const models = await registry(
      KEY,
      '{"providers":{"local":{"baseUrl":"http://127.0.0.1:1","models":[{"id":"qwen:7b"}]}}}',
    );
    const [best] = models.match(pattern);
    expect(best?.model.id).toBe(id);
    expect(best?.thinkingLevel).toBe(thinkingLevel);
  });

  test("that match nothing find nothing", async () => {
    const models = await registry(KEY);
    expect(models.match("gpt-9")).toEqual([]);
    expect(models.match("opus:loud")).toEqual([]);
    expect(models.match("")).toEqual([]);
  });

  test.each([
    ["openrouter/anthropic/claude-sonnet-4.5", ["anthropic/claude-sonnet-4.5"]],
    ["anthropic/claude-sonnet-4.5", ["anthropic/claude-sonnet-4.5"]],
    ["openrouter/sonnet 4.5:high", ["anthropic/claude-sonnet-4.5"]],
    ["openrouter/anthropic/claude", ["anthropic/claude-sonnet-4.5"]],
    ["openrouter/openai", ["openai/gpt-9", "openai/gpt-9/fast"]],
    ["openai/gpt-9/fast", ["openai/gpt-9/fast"]],
    ["openrouter/anthropic/claude-sonnet-4.5/Claude", []],
    ["anthropic/claude-sonnet-5-5/Claude", []],
    ["claude-sonnet-5-5/", []],
    ["claude/anthropic", []],
  ])("%s with slashes means %j", async (pattern, ids) => {
    const own = ["anthropic/claude-sonnet-4.5", "openai/gpt-9", "openai/gpt-9/fast"].map((id) => ({ id }));
    const file = { providers: { openrouter: { baseUrl: "http://127.0.0.1:1", models: own } } };
    const models = await registry(KEY, JSON.stringify(file));
    expect(models.match(pattern).map(({ model }) => model.id)).toEqual(ids);
  });

  test("that match nothing suggest models with most of their words", async () => {
    const models = await registry(KEY);
    const near = (pattern: string) => nearModels(pattern, models.all()).map(({ id }) => id);
    expect(near("anthropic/claude-sonnet-5-5/Claude")[0]).toBe("claude-sonnet-5-5");
    expect(near("claude-opus-9:high")).toHaveLength(3);
    expect(near("gpt-9")).toEqual([]);
  });

  test("prefer models with credentials", async () => {
    const models = await registry(
      {},
      '{"providers":{"local":{"baseUrl":"http://127.0.0.1:1","models":[{"id":"tiny-opus"}]}}}',
    );
    expect(models.match("opus")[0]?.model.id).toBe("tiny-opus");
  });
});

describe("models.json", () => {
  test("adds providers and models and overrides fields of known ones", async () => {
    const models = await registry(
      { LOCAL_KEY: "secret" },
      `{
        // a server in the next room
        "providers": {
          "local": {
            "baseUrl": "http://127.0.0.1:8080",
            "apiKey": "LOCAL_KEY",
            "headers": { "x-team": "LOCAL_KEY" },
            "models": [{ "id": "m", "name": "M", "contextWindow": 32000, "cost": { "input": 1 } }],
          },
          "anthropic": { "modelOverrides": { "claude-opus-5-5": { "maxTokens": 5 } } },
        },
      }`,
    );
    const model = models.find("local", "m");
    expect(model).toMatchObject({
      name: "M",
      api: "anthropic-messages",
      baseUrl: "http://127.0.0.1:8080",
      contextWindow: 32_000,
      cost: { input: 1, output: 0, cacheRead: 0, cacheWrite: 0 },
      headers: { "x-team": "secret" },
    });
    expect(model && models.resolve(model).apiKey).toBe("secret");
    expect(models.find("anthropic", "claude-opus-5-5")).toMatchObject({ maxTokens: 5, contextWindow: 1_000_000 });
    expect(warnings).toEqual([]);
  });

  test("can begin with a byte order mark, as editors on Windows write it", async () => {
    const models = await registry(KEY, '\uFEFF{"providers": {"anthropic": {"baseUrl": "http://127.0.0.1:8080"}}}');
    expect(warnings).toEqual([]);
    expect(models.available()[0]?.baseUrl).toBe("http://127.0.0.1:8080");
  });

  test("that is broken is reported, and the built-in models stay", async () => {
    const models = await registry(KEY, '{ "providers": \n oops');
    expect(warnings).toEqual(["DIR/models.json is skipped because it isn't valid JSON (line 2)."]);
    expect(models.available()[0]?.id).toBe("claude-opus-5-5");
  });

  test.each([
    ["data:text/plain,x", "must begin with http:// or https://"],
    ["models.example.com/v1", "must begin with http:// or https://"],
    ["localhost:8080", "must begin with http:// or https://"],
    ["http://", "must be the address of a server"],
    ["http://a b/v1", "must be the address of a server"],
    ["http://127.0.0.1:1/v1?key=a", 'must end before the "?" or "#"'],
    ["http://127.0.0.1:1/v1#a", 'must end before the "?" or "#"'],
    ["http://me:pw@127.0.0.1:1", "can't contain a user name or password"],
  ])("with %s as an address loses that provider and says why", async (baseUrl, why) => {
    const file = { providers: { p: { baseUrl, models: [{ id: "m" }] } } };
    const models = await registry({ ANTHROPIC_BASE_URL: baseUrl }, JSON.stringify(file));
    expect(models.find("p", "m")).toBeUndefined();
    expect(warnings).toEqual([
      expect.stringContaining(`ANTHROPIC_BASE_URL ${why}`),
      expect.stringContaining(`provider "p" is skipped:\n  - baseUrl: ${why}`),
    ]);
    expect(warnings.join()).not.toContain("pw");
  });

  test("with one invalid provider or model loses only that", async () => {
    const models = await registry(
      {},
      `{"providers":{"bad":{"models":"no"},"good":{"baseUrl":"http://127.0.0.1:1","models":[{"id":"m"},{"id":"g","api":"gopher"}]}}}`,
    );
    expect(models.available().map((model) => model.id)).toEqual(["m"]);
    expect(warnings[0]).toContain('provider "bad" is skipped');
    expect(warnings[1]).toContain('model "good/g" is skipped: api "gopher" is not supported');
  });
});

describe("a model as hosts see it", () => {
  test("repeats its id and hides possible secrets", async () => {
    const models = await registry(
      { ANTHROPIC_BASE_URL: "http://me:pw@127.0.0.1:1/x" },
      `{"providers":{"anthropic":{"headers":{"authorization":"Bearer s"},"models":[{"id":"m"}]}}}`,
    );
    const model = models.find("anthropic", "claude-opus-5-5");
    expect(model && models.toWire(model)).toMatchObject({
      modelId: "claude-opus-5-5",
      baseUrl: "http://127.0.0.1:1/x",
      headers: { authorization: "[redacted]" },
    });
  });

  test("has the base URL of the environment for OpenAI, and a mistake in it is told", async () => {
    const models = await registry({ OPENAI_API_KEY: "o", OPENAI_BASE_URL: "127.0.0.1:9" });
    expect(models.find("openai", "gpt-6.1-sol")?.baseUrl).toBe("127.0.0.1:9");
    expect(warnings).toEqual(["OPENAI_BASE_URL must begin with http:// or https://."]);
  });

  test("has no known models of a provider that the file replaces, whatever the environment names", async () => {
    const at = (baseUrl: string) => `{"providers":{"openai":{"baseUrl":"${baseUrl}","models":[{"id":"mine"}]}}}`;
    const env = { OPENAI_API_KEY: "o", OPENAI_BASE_URL: "http://127.0.0.1:9/v1" };
    const replaced = await registry(env, at("http://127.0.0.1:9/v1"));
    expect(replaced.all().filter(({ provider }) => provider === "openai")).toMatchObject([{ id: "mine" }]);
    const mine = replaced.find("openai", "mine");
    expect(mine && replaced.resolve(mine).apiKey).toBeUndefined();
    const own = await registry(env, at("https://api.openai.com/v1/"));
    expect(own.find("openai", "gpt-6.1-sol")?.baseUrl).toBe("https://api.openai.com/v1/");
  });

  test("has the base URL of the environment", async () => {
    const models = await registry({ ...KEY, ANTHROPIC_BASE_URL: "http://127.0.0.1:9" });
    expect(models.all().every((model) => model.baseUrl === "http://127.0.0.1:9")).toBe(true);
  });
});
