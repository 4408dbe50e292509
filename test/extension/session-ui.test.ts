import { describe, expect, it } from "vitest";
import type { SessionState } from "../../agent/protocol/commands.ts";
import { describeSession } from "../../extension/session-ui.ts";

const MODEL = {
  id: "m",
  name: "Model M",
  api: "anthropic-messages",
  provider: "anthropic",
  baseUrl: "http://127.0.0.1",
  reasoning: true,
  input: ["text" as const],
  contextWindow: 200_000,
  maxTokens: 8000,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
};

const STATE: SessionState = {
  model: MODEL,
  thinkingLevel: "low",
  isStreaming: false,
  isCompacting: false,
  steeringMode: "all",
  followUpMode: "all",
  interruptMode: "wait",
  sessionId: "s",
  autoCompactionEnabled: true,
  messageCount: 2,
  pendingMessageCount: 0,
  queuedMessageCount: 0,
  todoPhases: [],
  contextUsage: { tokens: 50_000, contextWindow: 200_000, percent: 25 },
  autoRetryEnabled: true,
  isBashRunning: false,
  isRetrying: false,
  permissionMode: "confirm",
  cwd: "/",
};

describe("describeSession", () => {
  it("names the model and how full its context is", () => {
    expect(describeSession(STATE)).toEqual({
      banner: undefined,
      modelLabel: "Model M",
      thinkingLevel: "low",
      hasThinking: true,
      permissionMode: "confirm",
      contextTokens: 50_000,
      contextWindow: 200_000,
      plan: [],
    });
  });

  it("shows the steps of the plan, whatever phase they belong to", () => {
    const task = (id: string, status: "completed" | "pending") => ({ id, content: `do ${id}`, status });
    const todoPhases = [
      { id: "phase-1", name: "A", tasks: [task("task-1", "completed")] },
      { id: "phase-2", name: "B", tasks: [task("task-2", "pending")] },
    ];
    expect(describeSession({ ...STATE, todoPhases }).plan).toEqual([
      { text: "do task-1", state: "completed" },
      { text: "do task-2", state: "pending" },
    ]);
  });

  it("says that the demo is no language model, and what to do without any model", () => {
    expect(describeSession({ ...STATE, model: { ...MODEL, provider: "demo" } }).banner?.text).toContain(
      "not a language model",
    );
    expect(describeSession({ ...STATE, model: null }).banner?.text).toContain("No model is chosen");
  });
});
