/** Values of the contract that several tests show, each complete and each field with a literal. */

export const USAGE = {
  input: 10,
  output: 5,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 15,
  reasoning: 2,
  cost: { input: 0.1, output: 0.15, cacheRead: 0, cacheWrite: 0, total: 0.25 },
};

export const MODEL = {
  id: "m-1",
  modelId: "m-1",
  name: "Model One",
  api: "anthropic-messages",
  provider: "anthropic",
  baseUrl: "https://api.example",
  reasoning: true,
  input: ["text", "image"],
  contextWindow: 200_000,
  maxTokens: 64_000,
  cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
};

export const USER = { role: "user", content: [{ type: "text", text: "first words" }], timestamp: 1_795_230_000_000 };

export const TOOL_CALL = { type: "toolCall", id: "t1", name: "read", arguments: { path: "notes.txt" } };

export const ASSISTANT = {
  role: "assistant",
  content: [
    { type: "thinking", thinking: "Look first.", thinkingSignature: "c2ln" },
    { type: "text", text: "Looking." },
    TOOL_CALL,
  ],
  api: "anthropic-messages",
  provider: "anthropic",
  model: "m-1",
  usage: USAGE,
  stopReason: "toolUse",
  timestamp: 1_795_230_001_000,
};

export const TOOL_RESULT = {
  role: "toolResult",
  toolCallId: "t1",
  toolName: "read",
  content: [{ type: "text", text: "three lines" }],
  details: { truncation: { truncated: false } },
  isError: false,
  timestamp: 1_795_230_002_000,
  durationMs: 3,
};

export const STATE = {
  model: null,
  thinkingLevel: "off",
  isStreaming: false,
  isCompacting: false,
  steeringMode: "one-at-a-time",
  followUpMode: "one-at-a-time",
  interruptMode: "wait",
  sessionId: "s-1",
  autoCompactionEnabled: true,
  messageCount: 0,
  pendingMessageCount: 0,
  queuedMessageCount: 0,
  todoPhases: [],
  systemPrompt: "You are …",
  dumpTools: [{ name: "read", description: "Reads", parameters: { type: "object" } }],
  autoRetryEnabled: true,
  isBashRunning: false,
  isRetrying: false,
  permissionMode: "auto",
  cwd: "/work",
};

export const APPROVAL_RULE = {
  id: "r-1",
  scope: "workspace",
  tool: "bash",
  pattern: "npm run *",
  text: "bash npm run *",
  workspace: "/work",
  createdAt: 1795000000000,
  uses: 2,
  lastUsedAt: 1795000600000,
};

export const LOGGED_DECISION = {
  time: "2026-11-21T03:00:00.000Z",
  session: "s-1",
  workspace: "/work",
  tool: "bash",
  what: "npm run build",
  decision: "allowed",
  by: "rule",
  mode: "confirm",
  rules: ["bash npm run *"],
};

export const SESSION_SUMMARY = {
  path: "/s/a.jsonl",
  id: "s-1",
  name: "Fix the build",
  firstMessage: "first words",
  createdAt: 1_795_230_000_000,
  modifiedAt: 1_795_230_001_000,
  messageCount: 2,
  sizeBytes: 900,
  cwd: "/p",
  model: "anthropic/m-1",
  parentSession: "/s/0.jsonl",
  isOpen: true,
  isLocked: false,
  match: { text: "first words", entryId: "0a1b2c3d", role: "user" },
};
