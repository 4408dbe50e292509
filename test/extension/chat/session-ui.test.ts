import { describe, expect, it } from "vitest";
import type { SessionState } from "../../../agent/protocol/commands.ts";
import { agentMissing, describeSession } from "../../../extension/chat/session-ui.ts";

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
  it("shows no lock where there is no sandbox, and says why", () => {
    const state = { ...STATE, permissionMode: "sandboxed" as const };
    expect(describeSession(state).mode).toMatchObject({ label: "Sandboxed", icon: "lock" });
    const sandboxProblem = "bwrap isn't installed. Install the package bubblewrap.";
    expect(describeSession({ ...state, sandboxProblem }).mode).toEqual({
      label: "Not Contained",
      icon: "warning",
      hint: `Commands can't run in a sandbox here: ${sandboxProblem} Tiller asks before it runs them.`,
    });
  });

  it("takes the window from the context usage, since a virtual model has none of its own", () => {
    const model = { ...MODEL, contextWindow: 0 };
    expect(describeSession({ ...STATE, model }).contextWindow).toBe(200_000);
    expect(describeSession({ ...STATE, model, contextUsage: undefined }).contextWindow).toBeUndefined();
  });

  it("names the model and its context usage", () => {
    expect(describeSession(STATE)).toEqual({
      banner: undefined,
      setup: undefined,
      modelLabel: "Model M",
      acceptsImages: false,
      thinkingLevel: "low",
      hasThinking: true,
      mode: {
        label: "Ask First",
        icon: "shield",
        hint: "Asks before it changes a file or runs a command that changes something.",
      },
      contextTokens: 50_000,
      contextWindow: 200_000,
      isCompacting: false,
      plan: { phases: [], hiddenTasks: 0 },
    });
  });

  it("says that the demo is not a language model, and how to get one", () => {
    expect(describeSession({ ...STATE, model: { ...MODEL, provider: "demo" } }).banner?.text).toContain(
      "isn't a language model",
    );
    expect(describeSession({ ...STATE, model: { ...MODEL, provider: "demo" } }).setup?.kind).toBe("noKey");
    expect(describeSession({ ...STATE, model: null }).setup?.kind).toBe("noModel");
    expect(describeSession({ ...STATE, model: null }).banner?.text).toContain("No model selected");
  });

  it("leads to the settings when a configured program is missing, else to a restart", () => {
    const missing = agentMissing(new Error('The program "x" of the setting "tiller.agent.command" was not found.'));
    expect(missing.action.command).toBe("tiller.openSettings");
    expect(agentMissing(new Error("The agent was not ready within 30000 ms.")).action.command).toBe(
      "tiller.restartAgent",
    );
  });
});
