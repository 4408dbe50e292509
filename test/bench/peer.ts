import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ChildProgram } from "./child.ts";

/** The script of another agent of the same dialect to compare with, if there is one: a path in this variable. */
const PEER = process.env.TILLER_BENCH_PI;

/** The mark that every version of it writes at the end of a run. */
const END_OF_RUN = '"type":"agent_end"';

/**
 * The same work done by the other agent: it gets our arguments, and the address of the model server by its models file.
 * @returns undefined when there is none to compare with.
 */
export async function peerProgram(
  own: ChildProgram,
  agentDir: string,
  baseUrl?: string,
): Promise<ChildProgram | undefined> {
  if (PEER === undefined) return undefined;
  const peerDir = join(agentDir, "peer");
  await mkdir(peerDir, { recursive: true });
  if (baseUrl !== undefined) {
    await writeFile(join(peerDir, "models.json"), JSON.stringify({ providers: { anthropic: { baseUrl } } }));
  }
  const [, ...args] = own.args.filter((arg) => arg !== "--rpc-stream" && arg !== "delta");
  const until = own.until.includes("agent_settled") ? END_OF_RUN : own.until;
  return { ...own, args: [PEER, ...args], env: { ...own.env, PI_CODING_AGENT_DIR: peerDir }, until };
}
