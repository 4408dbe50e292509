import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { childEnvironment } from "./environment.mjs";
import { ROOT } from "./paths.mjs";
import { fail, step } from "./report.mjs";

const DEADLINE_MS = 30_000;

/** One question to the built agent, on the Node that started this script; resolves to the totals. */
export async function runSmoke() {
  const node = process.env.TILLER_SYSTEM_NODE ?? process.execPath;
  return step(`The built agent answers on ${node}`, async () => {
    const problem = await ask(node);
    if (problem) fail(problem);
    return problem ? { passed: 0, failed: 1 } : { passed: 1, failed: 0 };
  });
}

/** Pipes `get_state` in and closes; resolves to what is wrong with the answer, or undefined. */
async function ask(node) {
  const home = mkdtempSync(join(tmpdir(), "tiller-smoke-"));
  try {
    const child = spawn(node, [join(ROOT, "dist/agent/cli.js"), "--mode", "rpc", "--no-session"], {
      cwd: home,
      env: childEnvironment({ HOME: home, USERPROFILE: home }),
      timeout: DEADLINE_MS,
      stdio: ["pipe", "pipe", "pipe"],
    });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text) => {
      stderr += text;
    });
    child.stdin.on("error", () => {}); // It ended early; the exit code tells.
    child.stdin.end('{"type":"get_state","id":"1"}\n');
    const code = await new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    });
    const isAnswered = stdout.split("\n").some((line) => isStateResponse(line));
    if (code === 0 && isAnswered) return undefined;
    return `get_state ${isAnswered ? "was answered" : "was not answered"}, exit code ${code}.\n${stdout}${stderr}`;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function isStateResponse(line) {
  try {
    const frame = JSON.parse(line);
    return (
      frame.type === "response" &&
      frame.id === "1" &&
      frame.success === true &&
      typeof frame.data.sessionId === "string"
    );
  } catch {
    return false; // An empty last line.
  }
}
