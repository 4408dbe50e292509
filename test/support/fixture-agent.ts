import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import type { AgentCommand } from "../../agent/client/agent-process.ts";

/** The command that runs a small program of `test/fixtures/agents` in place of an agent. */
export function fixtureAgent(name: string, args: readonly string[] = []): AgentCommand {
  const file = fileURLToPath(new URL(`../fixtures/agents/${name}.mjs`, import.meta.url));
  return { file: process.execPath, args: [file, ...args], cwd: tmpdir(), env: { PATH: process.env.PATH } };
}

/** True when a process runs. A zombie, such as an orphan in a container, does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== "linux" || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    // No such process, which is the answer.
    return false;
  }
}
