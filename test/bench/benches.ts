import { stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { activation } from "./activation.ts";
import { changes } from "./changes.ts";
import { edits } from "./edits.ts";
import { mentions } from "./mentions.ts";
import { page } from "./page.ts";
import {
  acpAnswering,
  acpStreaming,
  agentAnswering,
  agentStreaming,
  floorAnswering,
  floorStreaming,
} from "./programs.ts";
import type { Row } from "./report.ts";
import { resume } from "./resume.ts";
import { measureInTurn } from "./samples.ts";
import { sandbox } from "./sandbox.ts";
import { startModelServer } from "./server-process.ts";
import { shell, turns } from "./work.ts";

const START_ROUNDS = 11;
const STREAM_ROUNDS = 5;
const LONG_CHARS = 400_000;
const SHORT_CHARS = 100_000;
const MIB = 1024 * 1024;

/** Every bench by its name. Each gets an empty folder for the agent's files, and yields each row as soon as it is measured. */
export const benches: Record<string, (agentDir: string) => AsyncIterable<Row>> = {
  start,
  stream,
  acp,
  turns,
  resume,
  shell,
  sandbox,
  mentions,
  changes,
  edits,
  page,
  activation,
  size,
};

async function* start(agentDir: string): AsyncGenerator<Row> {
  const [floor, agent] = await measureInTurn([floorAnswering(), agentAnswering(agentDir)], START_ROUNDS);
  if (floor === undefined || agent === undefined) return;
  yield* [
    {
      what: "cold start until get_state is answered",
      unit: "ms",
      measured: agent.untilMs,
      floor: floor.untilMs,
      budget: 3,
    },
    { what: "  its CPU", unit: "ms", measured: agent.cpuMs, floor: floor.cpuMs },
    { what: "  its peak memory", unit: "bytes", measured: agent.peakBytes, floor: floor.peakBytes },
  ];
}

async function* stream(agentDir: string): AsyncGenerator<Row> {
  const server = await startModelServer();
  try {
    const long = server.baseUrl(LONG_CHARS);
    const programs = [
      floorStreaming(long),
      agentStreaming("delta", long, agentDir),
      agentStreaming("full", long, agentDir),
      agentStreaming("delta", server.baseUrl(SHORT_CHARS), agentDir),
    ];
    const [floor, delta, full, short] = await measureInTurn(programs, STREAM_ROUNDS);
    if (floor === undefined || delta === undefined || full === undefined || short === undefined) return;
    const cpu = { unit: "ms", floor: floor.cpuMs } as const;
    const memory = { unit: "bytes", floor: floor.peakBytes, budget: 1.4 } as const;
    yield* [
      { what: "streaming 400,000 characters, delta: CPU", measured: delta.cpuMs, ...cpu, budget: 1.5 },
      { what: "streaming 400,000 characters, full: CPU", measured: full.cpuMs, ...cpu, budget: 2.5 },
      { what: "streaming 400,000 characters, delta: peak memory", measured: delta.peakBytes, ...memory },
      { what: "streaming 400,000 characters, full: peak memory", measured: full.peakBytes, ...memory },
      {
        what: "stdout bytes, delta: 400,000 against 100,000 characters",
        unit: "bytes",
        measured: delta.stdoutBytes,
        floor: short.stdoutBytes,
        budget: 4.2,
      },
      {
        what: "stdout bytes, 400,000 characters: full against delta",
        unit: "bytes",
        measured: full.stdoutBytes,
        floor: delta.stdoutBytes,
        budget: 3,
      },
    ];
  } finally {
    await server.stop();
  }
}

async function* acp(agentDir: string): AsyncGenerator<Row> {
  const starts = [floorAnswering(), acpAnswering(agentDir)];
  const [floorStart, start] = await measureInTurn(starts, START_ROUNDS);
  if (floorStart === undefined || start === undefined) return;
  yield {
    what: "ACP: cold start until initialize is answered",
    unit: "ms",
    measured: start.untilMs,
    floor: floorStart.untilMs,
    budget: 3,
  };
  const server = await startModelServer();
  try {
    const url = server.baseUrl(LONG_CHARS);
    const [floor, run] = await measureInTurn([floorStreaming(url), acpStreaming(url, agentDir)], STREAM_ROUNDS);
    if (floor === undefined || run === undefined) return;
    yield {
      what: "ACP: streaming 400,000 characters: CPU",
      unit: "ms",
      measured: run.cpuMs,
      floor: floor.cpuMs,
      budget: 1.6,
    };
  } finally {
    await server.stop();
  }
}

async function* size(): AsyncGenerator<Row> {
  const files: [string, string, number | undefined][] = [
    ["tiller.vsix", "../../tiller.vsix", 3 * MIB],
    ["extension bundle", "../../dist/extension/extension.cjs", undefined],
    ["agent entry", "../../dist/agent/cli.js", undefined],
    ["webview bundle", "../../dist/webview/main.js", undefined],
  ];
  for (const [what, path, budget] of files) {
    const bytes = await fileSize(fileURLToPath(new URL(path, import.meta.url)));
    if (bytes !== undefined) yield { what, unit: "bytes", measured: bytes, ...(budget && { budget }) };
  }
}

/** A file's size, or undefined when it was not built. */
async function fileSize(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch {
    return undefined;
  }
}
