import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { processTier } from "../../test/support/process-tier.mjs";
import { startBashServer } from "../../test/windows/bash-server.mjs";
import { toWindows } from "../../test/windows/paths.ts";
import { makeBinary } from "./binary.mjs";
import { buildIfStale } from "./build.mjs";
import { childEnvironment } from "./environment.mjs";
import { ROOT } from "./paths.mjs";
import { exitCodeOf } from "./processes.mjs";
import { ExpectedError, step } from "./report.mjs";
import { runVitest } from "./vitest.mjs";
import { ensureWine } from "./wine.mjs";

const HUB_START_MS = 60_000;
const POLL_MS = 100;
const WINDOWS_PATH = "C:\\windows\\system32;C:\\windows;C:\\windows\\system32\\wbem";

/** Runs the tests against the agent as one file. */
const ONE_FILE = "--one-file";

/** Builds if needed, and runs the tests that start the agent as a process against an agent on Windows; resolves to the exit code. */
export async function run(args) {
  const wine = await ensureWine();
  await buildIfStale();
  const filters = args.filter((arg) => !arg.startsWith("-"));
  const files = processTier(ROOT).filter((file) => filters.length === 0 || filters.some((part) => file.includes(part)));
  if (files.length === 0)
    throw new ExpectedError(`No test that starts an agent has ${filters.join(" or ")} in its name.`);
  const options = args.filter((arg) => arg.startsWith("-") && arg !== ONE_FILE);
  const program = args.includes(ONE_FILE) ? await makeBinary("win-x64") : undefined;
  const totals = await withWindows({ ...wine, program }, (env) =>
    step(`${files.length} files of tests, with the agent on Windows`, () =>
      runVitest("windows", [...options, ...files], env),
    ),
  );
  for (const { title, why } of totals.failures) console.log(`  failed: ${title}\n    ${why}`);
  console.log(
    `Windows: ${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} listed in test/windows/listed.ts`,
  );
  return totals.failed === 0 ? 0 : 1;
}

/** Runs `work` while a hub in Wine starts programs, and a bash waits for commands. @param work gets the environment of the tests. */
async function withWindows({ wine, node, env, prefix, program }, work) {
  const folder = mkdtempSync(join(tmpdir(), "tiller-windows-"));
  const portFile = join(folder, "hub.txt");
  const agent = join(folder, "agent.mjs");
  const bash = await startBashServer();
  writeFileSync(join(prefix, "drive_c/Program Files/Git/bin/port.txt"), String(bash.port));
  const hub = spawn(wine, [node, toWindows(join(ROOT, "test/windows/hub.cjs")), toWindows(portFile)], {
    cwd: folder,
    env: childEnvironment(env),
    stdio: "ignore",
  });
  try {
    const port = await hubPort(portFile, hub);
    const variables = { TILLER_WINDOWS_HUB: port, TILLER_WINDOWS_PATH: WINDOWS_PATH, TILLER_WINDOWS_PROGRAM: program };
    // Tests give the agent an environment of their own.
    writeFileSync(
      agent,
      `Object.assign(process.env, ${JSON.stringify(variables)});\nawait import(${JSON.stringify(pathToFileURL(join(ROOT, "test/windows/agent.mjs")).href)});\n`,
    );
    return await work({ TILLER_TEST_WINDOWS: "1", TILLER_TEST_AGENT: agent, TILLER_TEST_AGENT_NODE: toWindows(node) });
  } finally {
    hub.kill();
    await exitCodeOf(join(wine, "../wineserver64"), ["-k"], { env: childEnvironment(env), stdio: "ignore" });
    bash.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function hubPort(file, hub) {
  for (const end = performance.now() + HUB_START_MS; performance.now() < end && hub.exitCode === null; ) {
    try {
      const port = readFileSync(file, "utf8");
      if (port !== "") return port;
    } catch {
      // It has not begun yet.
    }
    await delay(POLL_MS);
  }
  throw new ExpectedError(
    "The hub in Wine didn't start. Try again; if that doesn't help, remove ~/.cache/tiller-windows.",
  );
}
