import { fileURLToPath } from "node:url";
import type { ChildProgram } from "./child.ts";

const MODEL = "anthropic/claude-sonnet-5";

const AGENT = fileURLToPath(new URL("../../dist/agent/cli.js", import.meta.url));

/** The agent that answers one `get_state`. */
export function agentAnswering(agentDir: string): ChildProgram {
  return {
    args: [AGENT, "--mode", "rpc", "--no-session"],
    env: { ANTHROPIC_API_KEY: "test-key", PI_CODING_AGENT_DIR: agentDir },
    input: '{"type":"get_state","id":"1"}\n',
    until: '"command":"get_state"',
  };
}

/** The agent that streams one answer. `baseUrl` decides how long it is. */
export function agentStreaming(shape: "full" | "delta", baseUrl: string, agentDir: string): ChildProgram {
  return {
    args: [AGENT, "--mode", "rpc", "--no-session", "--rpc-stream", shape, "--model", MODEL],
    env: { ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: baseUrl, PI_CODING_AGENT_DIR: agentDir },
    input: '{"type":"prompt","id":"1","message":"go"}\n',
    until: '"type":"agent_settled"',
  };
}

const INITIALIZE = '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}\n';

/** The agent that answers the first request of a client of the Agent Client Protocol. */
export function acpAnswering(agentDir: string): ChildProgram {
  return {
    args: [AGENT, "--mode", "acp", "--no-session"],
    env: { ANTHROPIC_API_KEY: "test-key", PI_CODING_AGENT_DIR: agentDir },
    input: INITIALIZE,
    until: '"protocolVersion":1',
  };
}

/** The agent that streams one answer to such a client. */
export function acpStreaming(baseUrl: string, agentDir: string): ChildProgram {
  const request = (id: number, method: string, params: object) =>
    `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
  return {
    args: [AGENT, "--mode", "acp", "--no-session", "--model", MODEL],
    env: { ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: baseUrl, PI_CODING_AGENT_DIR: agentDir },
    input: INITIALIZE + request(1, "session/new", { cwd: agentDir, mcpServers: [] }),
    answer: {
      after: /"result":\{"sessionId":"([^"]+)"/,
      input: (sessionId) => request(2, "session/prompt", { sessionId, prompt: [{ type: "text", text: "go" }] }),
    },
    until: '"stopReason":"end_turn"',
  };
}

interface Work {
  agentDir: string;
  cwd: string;
  baseUrl?: string;
  /** A session file to open; without it nothing is kept. */
  session?: string;
  input: string;
  until: string;
}

/** The agent that does one piece of work, with updates in the slim shape. */
export function agentWorking({ agentDir, cwd, baseUrl, session, input, until }: Work): ChildProgram {
  const place = session === undefined ? ["--no-session"] : ["--session", session];
  return {
    args: [AGENT, "--mode", "rpc", ...place, "--rpc-stream", "delta", "--model", MODEL],
    env: {
      ANTHROPIC_API_KEY: "test-key",
      PI_CODING_AGENT_DIR: agentDir,
      ...(baseUrl === undefined ? {} : { ANTHROPIC_BASE_URL: baseUrl }),
    },
    cwd,
    input,
    until,
  };
}

/** The least program that answers one line. */
export function floorAnswering(): ChildProgram {
  return {
    args: [fileURLToPath(new URL("floor/answer.mjs", import.meta.url))],
    env: {},
    input: '{"type":"get_state","id":"1"}\n',
    until: '"command":"get_state"',
  };
}

/** The least program that passes a model's stream on. */
export function floorStreaming(baseUrl: string): ChildProgram {
  return {
    args: [fileURLToPath(new URL("floor/stream.mjs", import.meta.url))],
    env: { ANTHROPIC_BASE_URL: baseUrl },
    input: "",
    until: '"type":"agent_settled"',
  };
}
