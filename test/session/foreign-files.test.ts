import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply } from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord } from "../support/spawn-agent.ts";

let model: ScriptedModel;
let folder: string;
let agent: AgentUnderTest;

beforeEach(async () => {
  model = await ScriptedModel.start();
  folder = mkdtempSync(join(tmpdir(), "tiller-foreign-"));
});

afterEach(async () => {
  await agent.dispose();
  rmSync(folder, { recursive: true, force: true });
  await model.stop();
});

const TIME = "2026-05-01T10:00:00.000Z";
const COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const USAGE = { input: 3, output: 2, cacheRead: 0, cacheWrite: 0, totalTokens: 5, cost: COST };

/** Gives lines ids and parents in their order and writes them behind a header. */
function write(name: string, header: object, bodies: readonly object[]): string {
  const entries = bodies.map((body, index) => {
    const parentId = index === 0 ? null : `0000000${index - 1}`;
    return { id: `0000000${index}`, parentId, timestamp: TIME, ...body };
  });
  const path = join(folder, name);
  const lines = [{ type: "session", version: 3, id: "s-foreign", timestamp: TIME, cwd: folder, ...header }, ...entries];
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return path;
}

function answer(text: string): object {
  return {
    type: "message",
    message: {
      role: "assistant",
      content: [{ type: "text", text, textSignature: "sig" }],
      api: "anthropic-messages",
      provider: "anthropic",
      model: "claude-sonnet-4-5",
      usage: USAGE,
      stopReason: "stop",
      timestamp: 2,
    },
  };
}

const question = { type: "message", message: { role: "user", content: "What now?", timestamp: 1 } };

async function open(path: string): Promise<Record<string, unknown>> {
  agent = new AgentUnderTest({ modelUrl: model.url, cwd: folder, args: ["--session", path] });
  return agent.call("get_state");
}

/** Goes on in the session. @returns roles as the model saw them. */
async function goOn(): Promise<string[]> {
  model.enqueue(reply("I go on"));
  await agent.run("and then?");
  return model.requests[0]?.body.messages.map(({ role }) => role) ?? [];
}

describe("a session file of another program", () => {
  it("of pi continues with its messages, model, level and name", async () => {
    const path = write("pi.jsonl", { parentSession: "/elsewhere/a.jsonl" }, [
      { type: "model_change", provider: "anthropic", modelId: "claude-opus-4-1" },
      { type: "thinking_level_change", thinkingLevel: "low" },
      question,
      answer("This."),
      { type: "label", targetId: "00000002", label: "start" },
      { type: "custom", customType: "plan", data: { steps: [1, 2] } },
      { type: "session_info", name: "From pi" },
      { type: "context_note", text: "of a kind that nobody here knows" },
    ]);
    expect(await open(path)).toMatchObject({ sessionName: "From pi", messageCount: 2, thinkingLevel: "low" });
    const before = readFileSync(path, "utf8");
    expect(await goOn()).toEqual(["user", "assistant", "user"]);
    expect(readFileSync(path, "utf8").startsWith(before)).toBe(true);
    expect(JSON.stringify(await agent.call("get_tree"))).toContain('"label":"start"');
  });

  it("of xcsh continues too, with the kinds of entries that only xcsh writes", async () => {
    const path = write("xcsh.jsonl", { title: "From xcsh", titleSource: "auto" }, [
      { type: "session_init", systemPrompt: "…", task: "…", tools: ["read"] },
      { type: "model_change", model: "anthropic/claude-opus-4-1", role: "default" },
      { type: "service_tier_change", serviceTier: null },
      { type: "mode_change", mode: "plan" },
      { type: "ttsr_injection", injectedRules: ["no-any"] },
      question,
      answer("That."),
      { type: "mcp_tool_selection", selectedToolNames: [] },
    ]);
    const state = await open(path);
    expect(state).toMatchObject({ sessionName: "From xcsh", messageCount: 2 });
    expect(asRecord(state.model)).toMatchObject({ provider: "anthropic" });
    expect(await goOn()).toEqual(["user", "assistant", "user"]);
    const { entries } = await agent.call("get_entries");
    const types = Array.isArray(entries) ? entries.map((entry: unknown) => asRecord(entry).type) : [];
    expect(types.slice(0, 5)).toEqual([
      "session_init",
      "model_change",
      "service_tier_change",
      "mode_change",
      "ttsr_injection",
    ]);
  });
});
