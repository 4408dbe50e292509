import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { KEY_SEARCH, NOTHING_FOUND } from "../support/key-search.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply, toolCall } from "../support/scripted-replies.ts";
import { AgentUnderTest } from "../support/spawn-agent.ts";

/** A key that stands nowhere else on this machine. */
const KEY = `sk-test-${randomBytes(16).toString("hex")}`;
let model: ScriptedModel;
let folder: string;
let agent: AgentUnderTest | undefined;

beforeEach(async () => {
  model = await ScriptedModel.start();
  folder = mkdtempSync(join(tmpdir(), "tiller-secrecy-"));
  writeFileSync(join(folder, "key.txt"), `${KEY}\n`);
});

afterEach(async () => {
  await agent?.dispose();
  await model.stop();
  rmSync(folder, { recursive: true });
});

function start(env: Record<string, string>, args: readonly string[] = []): AgentUnderTest {
  agent = new AgentUnderTest({
    args: ["--no-session", ...args],
    agentDir: folder,
    env: { ANTHROPIC_BASE_URL: model.url, KEY_FILE: join(folder, "key.txt"), ...env },
  });
  return agent;
}

async function hostSearch(running: AgentUnderTest): Promise<unknown> {
  return (await running.call("bash", { command: KEY_SEARCH })).output;
}

describe("a key in the environment", () => {
  it("is found by no command of the model or the host, in no place that shows environments", async () => {
    const running = start({ ANTHROPIC_API_KEY: KEY, OPENROUTER_API_KEY: KEY });
    model.enqueue(reply([toolCall("bash", { command: KEY_SEARCH })]), reply("done"));
    const frames = await running.run("look for it");
    expect(model.requests[0]?.headers["x-api-key"]).toBe(KEY);
    expect(JSON.stringify(frames)).toContain("found: 0\\nsearched");
    expect(await hostSearch(running)).toBe(NOTHING_FOUND);
  });

  it("is hidden where it is for Bedrock or Azure OpenAI alone, while credentials that other programs need stay", async () => {
    const running = start({
      ANTHROPIC_API_KEY: KEY,
      AWS_BEARER_TOKEN_BEDROCK: KEY,
      AZURE_OPENAI_API_KEY: KEY,
      AWS_PROFILE: "dev",
      AWS_SECRET_ACCESS_KEY: "for-commands",
    });
    expect(await hostSearch(running)).toBe(NOTHING_FOUND);
    const command = `test "$AWS_PROFILE $AWS_SECRET_ACCESS_KEY" = "dev for-commands" && echo both`;
    expect(await running.call("bash", { command })).toMatchObject({ output: "both\n" });
  });

  it("is hidden as well when models.json names its variable", async () => {
    writeFileSync(
      join(folder, "models.json"),
      JSON.stringify({
        providers: {
          team: {
            baseUrl: model.url,
            apiKey: "TEAM_KEY",
            headers: { "x-other-token": "OTHER_HEADER" },
            models: [{ id: "own" }],
          },
        },
      }),
    );
    const running = start({ TEAM_KEY: KEY, OTHER_HEADER: KEY }, ["--model", "team/own"]);
    expect(await hostSearch(running)).toBe(NOTHING_FOUND);
    model.enqueue(reply("hi"));
    await running.run("hello");
    expect(model.requests[0]?.headers).toMatchObject({ "x-api-key": KEY, "x-other-token": KEY });
  });

  it("is hidden from programs of an extension, even when the extension names its variable", async () => {
    const extension = join(folder, "own.ts");
    writeFileSync(
      extension,
      `export default (pi) => {
        pi.registerProvider("own", { baseUrl: "http://127.0.0.1:1", apiKey: "TEAM_KEY", api: "anthropic-messages", models: [] });
        pi.on("session_start", async () => console.error((await pi.exec("sh", ["-c", ${JSON.stringify(KEY_SEARCH)}])).stdout));
      };`,
    );
    const running = start({ ANTHROPIC_API_KEY: KEY, TEAM_KEY: KEY }, ["-e", extension]);
    await running.until(() => (running.stderr.includes("searched") ? true : undefined), "the search");
    expect(running.stderr).toContain(NOTHING_FOUND);
  });

  it("leaves variables for other programs visible", async () => {
    const running = start({ ANTHROPIC_API_KEY: KEY, GITHUB_TOKEN: "for-gh" });
    expect(await running.call("bash", { command: 'echo "$GITHUB_TOKEN"' })).toMatchObject({ output: "for-gh\n" });
  });
});

describe("a key on the command line", () => {
  it.each([
    ["as an argument of its own", ["--api-key", KEY]],
    ["behind an equals sign", [`--api-key=${KEY}`]],
  ])("is not shown in the list of processes: %s", async (_, args) => {
    const running = start({}, [...args, "--model", "claude-opus-5-5"]);
    expect(await hostSearch(running)).toBe(NOTHING_FOUND);
    model.enqueue(reply("hi"));
    await running.run("hello");
    expect(model.requests[0]?.headers["x-api-key"]).toBe(KEY);
  });
});
