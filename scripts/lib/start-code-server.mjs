import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { packageIfStale } from "./build.mjs";
import { ensureCodeServer } from "./code-server.mjs";
import { editorSettings } from "./editor-settings.mjs";
import { ROOT, START_FOLDER, VSIX } from "./paths.mjs";
import { run } from "./processes.mjs";
import { ExpectedError, note, step } from "./report.mjs";

const DEFAULT_PORT = 8377;
const STOP_GRACE_MS = 5_000;
const LOOPBACK = ["127.0.0.1", "localhost", "::1"];

const PROFILE = join(START_FOLDER, "code-server");
const STARTER = join(ROOT, "scripts/starter");

/**
 * Serves VS Code with Tiller on a folder until Ctrl-C or SIGTERM, then ends the server with all that it started. Options:
 * `TILLER_START_PORT`, `TILLER_START_HOST` (anything but this machine gets a password).
 */
export async function startCodeServer(folder, inherited) {
  await packageIfStale();
  const { node, codeServer } = await ensureCodeServer();
  const host = process.env.TILLER_START_HOST ?? "127.0.0.1";
  const port = await choosePort(host);
  const password = LOOPBACK.includes(host) ? undefined : randomBytes(12).toString("base64url");
  const env = { ...inherited, EXTENSIONS_GALLERY: "{}", ...(password ? { PASSWORD: password } : {}) };
  const command = [codeServer, ...profileOptions()];
  await installExtensions(node, command, env);
  const server = spawn(node, [...command, ...serverOptions(host, port, password)], {
    env,
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const stop = stopOnSignals(server);
  const lines = createInterface({ input: server.stdout });
  lines.on("line", (line) => {
    const address = /HTTP server listening on (\S+)/.exec(line)?.[1];
    if (address) announce(address, folder, password);
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.once("exit", (code, signal) => {
      stop.dispose();
      if (stop.isRequested()) resolve(0);
      else reject(new ExpectedError(`code-server ended by itself with ${signal ?? `code ${code}`}.`));
    });
  });
}

function profileOptions() {
  mkdirSync(join(PROFILE, "User"), { recursive: true });
  const config = join(PROFILE, "config.yaml");
  writeFileSync(config, "{}\n");
  const settings = join(PROFILE, "User/settings.json");
  if (!existsSync(settings)) writeFileSync(settings, editorSettings());
  return ["--config", config, "--user-data-dir", PROFILE, "--extensions-dir", join(PROFILE, "extensions")];
}

function serverOptions(host, port, password) {
  return [
    "--auth",
    password ? "password" : "none",
    "--bind-addr",
    `${host}:${port}`,
    "--disable-telemetry",
    "--disable-update-check",
    "--disable-getting-started-override",
    "--disable-workspace-trust",
  ];
}

/** Installs the package, and the starter beside it, when either differs from what the profile has. */
async function installExtensions(node, command, env) {
  const extensions = join(PROFILE, "extensions");
  const stamp = join(PROFILE, "installed.sha256");
  const hash = createHash("sha256")
    .update(readFileSync(VSIX))
    .update(readFileSync(join(STARTER, "package.json")))
    .update(readFileSync(join(STARTER, "extension.js")))
    .digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === hash) return;
  await step("Installing Tiller into the editor", async () => {
    rmSync(extensions, { recursive: true, force: true });
    // A folder that is there before the editor's first look at its extensions counts as installed.
    cpSync(STARTER, join(extensions, "tiller-dev.starter-0.0.1"), { recursive: true });
    await run(node, [...command, "--install-extension", VSIX], { env });
    writeFileSync(stamp, hash);
  });
}

function announce(address, folder, password) {
  const url = new URL(address);
  url.searchParams.set("folder", folder);
  console.log(`\nTiller is ready. Open ${url.href}`);
  if (password) console.log(`The password is ${password}`);
  console.log("Ctrl-C stops it.\n");
}

/** The same port each time, since the browser keeps the editor's layout and keys by address; any free one when it is taken. */
async function choosePort(host) {
  const wanted = process.env.TILLER_START_PORT;
  const port = Number(wanted ?? DEFAULT_PORT);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new ExpectedError(`TILLER_START_PORT is not a port: ${wanted}.`);
  const problem = await new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", resolve);
    probe.listen(port, host, () => probe.close(() => resolve(undefined)));
  });
  if (!problem) return port;
  if (wanted !== undefined || problem.code !== "EADDRINUSE")
    throw new ExpectedError(`Cannot listen on ${host}:${port}: ${problem.message}.`);
  note(`Port ${port} is taken; another one is used.`);
  return 0;
}

/** Ends the server's process group on a signal. */
function stopOnSignals(server) {
  let isRequested = false;
  const signalGroup = (signal) => {
    try {
      process.kill(-server.pid, signal);
    } catch {
      // The group has ended.
    }
  };
  const stop = () => {
    if (isRequested) return;
    isRequested = true;
    signalGroup("SIGTERM");
    setTimeout(() => signalGroup("SIGKILL"), STOP_GRACE_MS).unref();
  };
  const killNow = () => signalGroup("SIGKILL");
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const signal of signals) process.on(signal, stop);
  process.once("exit", killNow);
  return {
    isRequested: () => isRequested,
    dispose() {
      killNow();
      for (const signal of signals) process.off(signal, stop);
      process.off("exit", killNow);
    },
  };
}
