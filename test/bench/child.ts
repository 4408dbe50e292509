import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";

const PROBE = new URL("usage-probe.mjs", import.meta.url).href;
const DEADLINE_MS = 120_000;
const STDERR_TAIL_CHARS = 2000;

/** The output of the probe: times in microseconds, memory in KiB. */
const Usage = z.object({ userCPUTime: z.number(), systemCPUTime: z.number(), maxRSS: z.number() });

/** A Node program to measure. */
export interface ChildProgram {
  /** Arguments of Node: the script and what it is given. */
  args: readonly string[];
  env: Record<string, string>;
  /** Working directory; default is this process's. */
  cwd?: string;
  /** Written to stdin at once. */
  input: string;
  /** Text for stdin that depends on what stdout says: written once, when the expression has matched. */
  answer?: { after: RegExp; input(found: string): string };
  /** ASCII text on stdout that tells that the work is done; stdin is closed then. */
  until: string;
}

/** The figures of one run. Times are in milliseconds; `cpuMs` is the user and system time of the whole process. */
export interface ChildRun {
  untilMs: number;
  cpuMs: number;
  peakBytes: number;
  stdoutBytes: number;
}

let runs = 0;

/** Runs a program to its end. @throws Error with the end of its stderr when it ends or hangs before its mark. */
export async function runChild(program: ChildProgram): Promise<ChildRun> {
  runs += 1;
  const usageFile = join(tmpdir(), `tiller-bench-${process.pid}-${runs}.json`);
  const startedAt = performance.now();
  const child = spawn(process.execPath, ["--import", PROBE, ...program.args], {
    env: { ...baseEnvironment(), ...program.env, BENCH_USAGE_FILE: usageFile },
    ...(program.cwd === undefined ? {} : { cwd: program.cwd }),
  });
  const deadline = setTimeout(() => child.kill("SIGKILL"), DEADLINE_MS);
  try {
    const closed = once(child, "close");
    child.stdin.on("error", () => {
      // If a child ends early, its exit says so, not the pipe.
    });
    child.stdin.write(program.input);
    const seen = await watchStdout(child, program, startedAt);
    await closed;
    const usage = Usage.parse(JSON.parse(await readFile(usageFile, "utf8")));
    return {
      untilMs: seen.untilMs,
      cpuMs: (usage.userCPUTime + usage.systemCPUTime) / 1000,
      peakBytes: usage.maxRSS * 1024,
      stdoutBytes: seen.bytes,
    };
  } finally {
    clearTimeout(deadline);
    child.kill("SIGKILL");
    await rm(usageFile, { force: true });
  }
}

async function watchStdout(
  child: ChildProcessWithoutNullStreams,
  { until, answer }: Pick<ChildProgram, "until" | "answer">,
  startedAt: number,
): Promise<{ untilMs: number; bytes: number }> {
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr = (stderr + text).slice(-STDERR_TAIL_CHARS);
  });
  let bytes = 0;
  let untilMs: number | undefined;
  let tail = "";
  let next = answer;
  for await (const chunk of child.stdout) {
    if (!Buffer.isBuffer(chunk)) continue;
    bytes += chunk.length;
    if (untilMs !== undefined) continue;
    const end = tail + chunk.toString("latin1", Math.max(0, chunk.length - 64 * 1024));
    const found = next?.after.exec(end)?.[1];
    if (found !== undefined) {
      child.stdin.write(next?.input(found) ?? "");
      next = undefined;
    }
    if (end.includes(until)) {
      untilMs = performance.now() - startedAt;
      child.stdin.end();
    }
    tail = end.slice(-Math.max(until.length, next === undefined ? 0 : 1024));
  }
  if (untilMs === undefined) {
    throw new Error(`The program ended or hung before it wrote ${until}. stderr ends with:\n${stderr}`);
  }
  return { untilMs, bytes };
}

/** The environment without what would change the measured program. */
function baseEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR, LANG, SystemRoot } = process.env;
  return { PATH, HOME, TMPDIR, LANG, SystemRoot };
}
