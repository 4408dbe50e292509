import { mkdtemp, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Sandbox } from "../../agent/sandbox/sandbox.ts";
import { runShell } from "../../agent/tools/shell.ts";
import type { Row } from "./report.ts";

const ROUNDS = 60;
const BUDGET_MS = 15;
/** The time in which the sandbox looks at what a command left, which would slow down the bare command after it. */
const SETTLE_MS = 50;

/** Measures what the sandbox costs a command, once it stands: bare and contained commands take turns. */
export async function* sandbox(agentDir: string): AsyncGenerator<Row> {
  const cwd = await mkdtemp(join(tmpdir(), "tiller-bench-"));
  const made = new Sandbox({
    ...{
      roots: [cwd],
      home: homedir(),
      agentDir,
      caches: undefined,
      hidden: [],
      isSecret: () => false,
      env: process.env,
    },
    mayReach: async () => false,
    onTaken: () => undefined,
  });
  try {
    const problem = await made.problem();
    if (problem !== undefined) throw new Error(problem);
    const command = { command: "true", cwd, env: process.env, shell: {}, onData: () => undefined };
    const [bare, inside]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      const { signal } = new AbortController();
      const start = performance.now();
      await runShell({ ...command, signal });
      const middle = performance.now();
      const contained = await made.contain({ isReadOnly: false });
      await runShell({ ...command, signal, contained });
      await contained.end();
      bare.push(middle - start);
      inside.push(performance.now() - middle);
      await delay(SETTLE_MS);
    }
    const [floor, measured] = [median(bare), median(inside)];
    yield* [
      { what: "a command in the sandbox", unit: "ms", measured, floor },
      { what: "  what the sandbox adds to it", unit: "ms", measured: measured - floor, budget: BUDGET_MS },
    ];
  } finally {
    await made.end();
    await rm(cwd, { recursive: true, force: true });
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
