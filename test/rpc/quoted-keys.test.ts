import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ScriptedModel } from "../support/scripted-model.ts";
import { garbage, httpError, streamError, text } from "../support/scripted-replies.ts";
import { AgentUnderTest } from "../support/spawn-agent.ts";

/** Without a form that would give it away. */
const KEY = "correct-horse-battery";
const TOKEN = "staple-of-another-service";

let folder: string;
let model: ScriptedModel;
let agent: AgentUnderTest;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "tiller-quoted-"));
  model = await ScriptedModel.start();
});

afterEach(async () => {
  await agent.dispose();
  await model.stop();
  rmSync(folder, { recursive: true });
});

function start(files: Record<string, string> = {}, args: readonly string[] = []): void {
  const settings = JSON.stringify({ retry: { baseDelayMs: 1 } });
  for (const [name, content] of Object.entries({ "settings.json": settings, ...files })) {
    writeFileSync(join(folder, name), content);
  }
  const env = {
    ANTHROPIC_API_KEY: KEY,
    ANTHROPIC_BASE_URL: model.url,
    SERVICE_TOKEN: TOKEN,
    OWN_SECRET: "own-key-without-form",
  };
  agent = new AgentUnderTest({ agentDir: folder, args: ["--session-dir", folder, ...args], env });
}

/** All that was written down and sent: frames, session files, standard error. */
function written(): string {
  const files = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
  expect(files).toHaveLength(1);
  const stored = files.map((name) => readFileSync(join(folder, name), "utf8"));
  return [JSON.stringify(agent.frames), ...stored, agent.stderr].join("\n");
}

describe("an error of the model's service that quotes the key", () => {
  it.each([
    ["refuses the request", 1, () => httpError(401, "authentication_error", `invalid x-api-key: ${KEY}`)],
    ["breaks off the answer", 4, () => streamError("api_error", `key ${KEY} was revoked`, [text("so far")])],
    [
      "asks for patience, until all attempts are used",
      4,
      () => httpError(529, "overloaded_error", `${KEY} is busy, ${TOKEN}`),
    ],
    ["answers with a page", 4, () => garbage(`data: {"type":"error","error":{"type":"x","message":"${KEY}"}}\n\n`)],
  ])("is shown without the key when it %s", async (_, attempts, failure) => {
    start();
    model.enqueue(...Array.from({ length: attempts }, failure));
    await agent.run("hello");
    await agent.end();
    const all = written();
    expect(all).toContain("[redacted]");
    expect(all).not.toContain(KEY);
    expect(all).not.toContain(TOKEN);
  });

  it("is shown without the key when the text is longer than what is kept", async () => {
    start();
    model.enqueue(httpError(400, "invalid_request_error", `${"x ".repeat(990)}the key ${KEY} ${"y ".repeat(2000)}`));
    await agent.run("hello");
    await agent.end();
    expect(written()).not.toContain(KEY.slice(0, 8));
  });

  it("is shown without the key of an extension's own provider", async () => {
    start(
      {
        "own.ts": `export default (pi) => pi.registerProvider("own", {
          baseUrl: ${JSON.stringify(model.url)}, apiKey: "OWN_SECRET", api: "anthropic-messages",
          models: [{ id: "m", name: "M", contextWindow: 9000, maxTokens: 1000 }] });`,
      },
      ["-e", join(folder, "own.ts"), "--model", "own/m"],
    );
    model.enqueue(httpError(403, "permission_error", "own-key-without-form is not allowed"));
    await agent.run("hello");
    await agent.end();
    expect(written()).toContain("[redacted] is not allowed");
    expect(written()).not.toContain("own-key-without-form");
  });
});
