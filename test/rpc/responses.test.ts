import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { responseEvents, type ScriptedItem } from "../support/responses-events.ts";
import { ScriptedResponses } from "../support/scripted-responses.ts";
import { AgentUnderTest } from "../support/spawn-agent.ts";

let server: ScriptedResponses;
let agentDir: string;
let agent: AgentUnderTest | undefined;

beforeEach(async () => {
  server = await ScriptedResponses.start();
  agentDir = mkdtempSync(join(tmpdir(), "tiller-responses-"));
});

afterEach(async () => {
  await agent?.dispose();
  await server.stop();
  rmSync(agentDir, { recursive: true });
});

it("a model behind the Responses API goes on with its own thinking after a tool call, under one cache key, as a summary does", async () => {
  const answers = (...items: ScriptedItem[]) => server.enqueue({ kind: "events", events: responseEvents(items) });
  const models = [{ id: "small", reasoning: true }];
  const local = { baseUrl: server.url, api: "openai-responses", apiKey: "LOCAL_KEY", models };
  writeFileSync(join(agentDir, "models.json"), JSON.stringify({ providers: { local } }));
  writeFileSync(join(agentDir, "settings.json"), JSON.stringify({ compaction: { keepRecentTokens: 50 } }));
  agent = new AgentUnderTest({
    agentDir,
    env: { LOCAL_KEY: "secret" },
    args: ["--no-session", "--model", "local/small"],
  });
  writeFileSync(join(agent.cwd, "a.txt"), "from the file\n");
  answers(
    { kind: "reasoning", id: "rs_1", summary: ["Read it."] },
    { kind: "call", id: "fc_1", callId: "call_1", name: "read", args: { path: "a.txt" } },
  );
  answers({ kind: "text", id: "msg_1", text: "It says so." });
  const frames = await agent.run("Read it");
  expect(frames.findLast(({ type }) => type === "message_end")).toMatchObject({
    message: { content: [{ type: "text", text: "It says so." }], usage: { input: 7, output: 3 } },
  });
  const [first, second] = server.requests;
  expect(first?.headers.authorization).toBe("Bearer secret");
  expect(second?.body.input.slice(1)).toMatchObject([
    { type: "reasoning", id: "rs_1", encrypted_content: "encrypted:rs_1" },
    { type: "function_call", id: "fc_1", call_id: "call_1" },
    { type: "function_call_output", call_id: "call_1", output: expect.stringContaining("from the file") },
  ]);
  expect(first?.body.prompt_cache_key).toMatch(/./);
  expect(second?.body.prompt_cache_key).toBe(first?.body.prompt_cache_key);
  answers({ kind: "text", id: "msg_2", text: "word ".repeat(200) });
  await agent.run("And?");
  answers({ kind: "text", id: "msg_3", text: "SUMMARY" });
  answers({ kind: "text", id: "msg_4", text: "REST" });
  await agent.call("compact");
  const keys = server.requests.slice(2).map(({ body }) => body.prompt_cache_key);
  expect(new Set(keys)).toEqual(new Set([first?.body.prompt_cache_key]));
});
