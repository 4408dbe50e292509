import { createWriteStream } from "node:fs";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { peerProgram } from "./peer.ts";
import { agentWorking } from "./programs.ts";
import type { Row } from "./report.ts";
import { measureInTurn } from "./samples.ts";

const ROUNDS = 3;
const WORDS = "Lorem ipsum dolor sit amet, consectetur adipiscing elit. ".repeat(16);

/** Opening long sessions. */
export async function* resume(agentDir: string): AsyncGenerator<Row> {
  const short = await writeSession(join(agentDir, "short.jsonl"), 20_000);
  const long = await writeSession(join(agentDir, "long.jsonl"), 200_000);
  const peerFile = join(agentDir, "peer.jsonl");
  await copyFile(short, peerFile);
  const own = opening(short, agentDir);
  const floor = { ...own, args: [fileURLToPath(new URL("floor/open.mjs", import.meta.url)), short] };
  const peer = await peerProgram(opening(peerFile, agentDir), agentDir);
  const programs = [own, opening(long, agentDir), floor, ...(peer === undefined ? [] : [peer])];
  const [agent, tenfold, least, other] = await measureInTurn(programs, ROUNDS);
  if (agent === undefined || tenfold === undefined || least === undefined) return;
  const what = "opening a session of 20,000 messages: CPU";
  yield* [
    { what: `${what}, against parsing its lines`, unit: "ms", measured: agent.cpuMs, floor: least.cpuMs },
    ...(other ? [{ what, unit: "ms", measured: agent.cpuMs, floor: other.cpuMs, budget: 0.6 } as const] : []),
    {
      what: "opening 200,000 messages against 20,000: CPU",
      unit: "ms",
      measured: tenfold.cpuMs,
      floor: agent.cpuMs,
      budget: 10,
    },
    { what: "  its peak memory", unit: "bytes", measured: tenfold.peakBytes, floor: agent.peakBytes },
  ];
}

function opening(session: string, agentDir: string) {
  return agentWorking({
    agentDir,
    cwd: agentDir,
    session,
    input: '{"type":"get_state","id":"1"}\n',
    until: '"command":"get_state"',
  });
}

async function writeSession(path: string, messages: number): Promise<string> {
  await pipeline(Readable.from(sessionLines(messages)), createWriteStream(path));
  return path;
}

function* sessionLines(messages: number): Generator<string> {
  const timestamp = "2026-01-01T00:00:00.000Z";
  yield `${JSON.stringify({ type: "session", version: 3, id: `bench-${messages}`, timestamp, cwd: "/" })}\n`;
  let parentId: string | null = null;
  for (let index = 0; index < messages; index += 1) {
    const id = index.toString(16).padStart(8, "0");
    yield `${JSON.stringify({ type: "message", id, parentId, timestamp, message: messageAt(index) })}\n`;
    parentId = id;
  }
}

function messageAt(index: number): object {
  const content = [{ type: "text", text: WORDS }];
  if (index % 2 === 0) return { role: "user", content, timestamp: index };
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const usage = { input: 100, output: 50, cacheRead: 0, cacheWrite: 0, totalTokens: 150, cost };
  const source = { api: "anthropic-messages", provider: "anthropic", model: "claude-sonnet-5" };
  return { role: "assistant", content, ...source, usage, stopReason: "stop", timestamp: index };
}
