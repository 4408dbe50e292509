import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { installDependencies, pinnedNode } from "./dependencies.mjs";
import { ROOT } from "./paths.mjs";
import { endWithParent, forwardSignals } from "./processes.mjs";
import { fail, messageOf } from "./report.mjs";
import { requireWritable } from "./room.mjs";

const RUN = fileURLToPath(new URL("../run.mjs", import.meta.url));

/** Each job's module exports `run(args)`, which resolves to the exit code. */
const JOBS = {
  start: () => import("./start.mjs"),
  test: () => import("./test.mjs"),
  vitest: () => import("./test-unit.mjs"),
  scripts: () => import("./test-scripts.mjs"),
  windows: () => import("./test-windows.mjs"),
  "binary-tests": () => import("./test-binary.mjs"),
  e2e: () => import("./test-editor.mjs"),
  repeat: () => import("./repeat-editor.mjs"),
  check: () => import("./check.mjs"),
  bench: () => import("./bench.mjs"),
  binary: () => import("./binary.mjs"),
  package: () => import("./package-job.mjs"),
  pictures: () => import("./pictures.mjs"),
};

/** Runs a job and resolves to the exit code. */
export async function main([job, ...args]) {
  const load = JOBS[job];
  if (!load) {
    fail(`Unknown job ${job ?? "(none)"}. There are: ${Object.keys(JOBS).join(", ")}.`);
    return 1;
  }
  endWithParent();
  try {
    requireWritable(ROOT);
    if (process.env.TILLER_SYSTEM_NODE === undefined) {
      await installDependencies();
      const node = pinnedNode();
      if (node !== undefined && node !== process.execPath) return await runAgain(node, [job, ...args]);
      process.env.TILLER_SYSTEM_NODE = systemNode();
    }
    const { run } = await load();
    return await run(args);
  } catch (error) {
    fail(messageOf(error));
    return 1;
  }
}

/** The Node of whoever called: npm puts the packages' own programs first on the PATH, and the pinned Node is one of them. */
function systemNode() {
  return process.env.npm_node_execpath ?? process.execPath;
}

/** The same job once more with another Node, told where the first one is. */
async function runAgain(node, args) {
  const child = spawn(node, [RUN, ...args], {
    stdio: "inherit",
    env: { ...process.env, TILLER_SYSTEM_NODE: systemNode() },
  });
  const stopForwarding = forwardSignals(child);
  try {
    return await new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", (code, signal) => resolve(code ?? (signal ? 1 : 0)));
    });
  } finally {
    stopForwarding();
  }
}
