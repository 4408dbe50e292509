import { type ChildProgram, type ChildRun, runChild } from "./child.ts";

/** The middle of some numbers; the mean of the two middle ones when their count is even. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN;
  return (lower + upper) / 2;
}

/**
 * Runs each program once to warm up, then all of them in turn `rounds` times, so that a slow moment of the machine falls on
 * all of them.
 * @returns the median of every measure, in the order of the programs.
 */
export async function measureInTurn(programs: readonly ChildProgram[], rounds: number): Promise<ChildRun[]> {
  for (const program of programs) await runChild(program);
  const samples = programs.map((program) => ({ program, runs: [] as ChildRun[] }));
  for (let round = 0; round < rounds; round += 1) {
    for (const { program, runs } of samples) runs.push(await runChild(program));
  }
  return samples.map(({ runs }) => ({
    untilMs: median(runs.map((run) => run.untilMs)),
    cpuMs: median(runs.map((run) => run.cpuMs)),
    peakBytes: median(runs.map((run) => run.peakBytes)),
    stdoutBytes: median(runs.map((run) => run.stdoutBytes)),
  }));
}
