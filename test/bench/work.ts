import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { peerProgram } from "./peer.ts";
import { agentWorking } from "./programs.ts";
import type { Row } from "./report.ts";
import { measureInTurn } from "./samples.ts";
import { startModelServer } from "./server-process.ts";

const ROUNDS = 3;
const TURNS = 200;
const FILE_LINES = 20;
const MIB = 1024 * 1024;

/** A run of many turns, each with one call of `read`. */
export async function* turns(agentDir: string): AsyncGenerator<Row> {
  await writeFile(join(agentDir, "notes.txt"), "A line of a file that is read again and again.\n".repeat(FILE_LINES));
  const server = await startModelServer();
  try {
    const baseUrl = server.turnsUrl(TURNS);
    const input = '{"type":"prompt","id":"1","message":"go"}\n';
    const own = agentWorking({ agentDir, baseUrl, cwd: agentDir, input, until: '"type":"agent_settled"' });
    const peer = await peerProgram(own, agentDir, baseUrl);
    const [agent, other] = await measureInTurn(peer === undefined ? [own] : [own, peer], ROUNDS);
    if (agent === undefined) return;
    yield* [
      {
        what: `${TURNS} turns with one read each: CPU`,
        unit: "ms",
        measured: agent.cpuMs,
        ...(other && { floor: other.cpuMs, budget: 0.5 }),
      },
    ];
  } finally {
    await server.stop();
  }
}

/** A host's shell command that prints 34 MB. */
export async function* shell(agentDir: string): AsyncGenerator<Row> {
  const command = (count: number) => `{"type":"bash","id":"1","command":"seq 1 ${count}"}\n`;
  const until = '"command":"bash"';
  const own = agentWorking({ agentDir, cwd: agentDir, input: command(4_600_000), until });
  const idle = agentWorking({ agentDir, cwd: agentDir, input: command(1), until });
  const peer = await peerProgram(own, agentDir);
  const [agent, small, other] = await measureInTurn(peer === undefined ? [own, idle] : [own, idle, peer], ROUNDS);
  if (agent === undefined || small === undefined) return;
  yield* [
    {
      what: "bash that prints 34 MB: CPU",
      unit: "ms",
      measured: agent.cpuMs,
      ...(other && { floor: other.cpuMs, budget: 0.3 }),
    },
    {
      what: "bash that prints 34 MB: memory growth",
      unit: "bytes",
      measured: agent.peakBytes - small.peakBytes,
      budget: 40 * MIB,
    },
  ];
}
