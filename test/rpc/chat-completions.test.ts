import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answerCall, answerText, delta, ScriptedCompletions } from "../support/scripted-completions.ts";
import { AgentUnderTest } from "../support/spawn-agent.ts";

let server: ScriptedCompletions;
let agentDir: string;
let agent: AgentUnderTest | undefined;

beforeEach(async () => {
  server = await ScriptedCompletions.start();
  agentDir = mkdtempSync(join(tmpdir(), "tiller-completions-"));
});

afterEach(async () => {
  await agent?.dispose();
  await server.stop();
  rmSync(agentDir, { recursive: true });
});

/** An agent with one model, whose server speaks chat completions. */
function start(model: object = {}, env: Record<string, string> = {}): AgentUnderTest {
  const models = [{ id: "small", ...model }];
  const local = { baseUrl: server.url, api: "openai-completions", apiKey: "LOCAL_KEY", models };
  writeFileSync(join(agentDir, "models.json"), JSON.stringify({ providers: { local } }));
  writeFileSync(join(agentDir, "settings.json"), JSON.stringify({ retry: { baseDelayMs: 1 } }));
  agent = new AgentUnderTest({
    agentDir,
    env: { LOCAL_KEY: "secret", ...env },
    args: ["--no-session", "--model", "local/small"],
  });
  return agent;
}

describe("a model behind the chat completions API", () => {
  it("calls tools, thinks, and remembers the conversation", async () => {
    const running = start({ reasoning: true, cost: { input: 1_000_000, output: 0 } });
    writeFileSync(join(running.cwd, "a.txt"), "from the file\n");
    server.enqueue(answerCall("read", { path: "a.txt" }), answerText("It says so."), answerText("Again."));
    const frames = await running.run("Read it");
    expect(frames.findLast(({ type }) => type === "message_end")).toMatchObject({
      message: { content: [{ type: "text", text: "It says so." }], usage: { input: 7, output: 3, cost: { total: 7 } } },
    });
    await running.run("And again");
    expect(server.requests[0]?.headers.authorization).toBe("Bearer secret");
    expect(server.requests[0]?.body).toMatchObject({ model: "small", reasoning_effort: expect.any(String) });
    expect(server.requests.at(-1)?.body.messages.slice(1)).toMatchObject([
      { role: "user", content: "Read it" },
      { role: "assistant", content: null, tool_calls: [{ id: "call_1", function: { name: "read" } }] },
      { role: "tool", tool_call_id: "call_1", content: expect.stringContaining("from the file") },
      { role: "assistant", content: "It says so." },
      { role: "user", content: "And again" },
    ]);
  });

  it("is not asked when the proxy's address is unreadable, and the error does not repeat the variable's text", async () => {
    const frames = await start({}, { HTTP_PROXY: "me:pass-word@127.0.0.1:3128" }).run("Hello");
    const ends = frames.filter(({ type }) => type === "message_end");
    expect(ends.at(-1)).toMatchObject({
      message: { errorMessage: expect.stringMatching(/^HTTP_PROXY or HTTPS_PROXY isn't a proxy address/) },
    });
    expect(JSON.stringify(frames)).not.toContain("pass-word");
    expect(frames.some(({ type }) => type === "auto_retry_start")).toBe(false);
  });

  it("is asked again after a lost connection", async () => {
    const running = start();
    server.enqueue({ kind: "cut", events: [delta({ content: "Ha" })] }, answerText("Here."));
    const frames = await running.run("Go");
    expect(frames.some(({ type }) => type === "auto_retry_start")).toBe(true);
    expect(frames.findLast(({ type }) => type === "message_end")).toMatchObject({
      message: { content: [{ type: "text", text: "Here." }] },
    });
  });
});
