import { UsageError } from "../config/args.ts";
import type { AgentOptions } from "../config/options.ts";
import { type Env, expandPath } from "../config/paths.ts";
import type { Settings } from "../config/settings.ts";
import { findExtensions } from "../extensions/discover.ts";
import type { ExtensionFailure } from "../extensions/extension-failure.ts";
import { ExtensionRunner } from "../extensions/runner.ts";
import { atMost } from "../util/at-most.ts";
import { addBundledExtensions } from "./bundled-extensions.ts";
import type { Output } from "./output.ts";

/** How long prompts wait for what extensions do at the start. */
const START_LIMIT_MS = 10_000;
/** How long the end waits for extensions; the whole of it has five seconds. */
const SHUTDOWN_LIMIT_MS = 3000;

const YES = /^(1|true|yes|on)$/i;

interface ExtensionParts {
  options: AgentOptions;
  settings: Settings;
  env: Env;
  cwd: string;
  agentDir: string;
  output: Output;
  warn(message: string): void;
}

/** The extensions of this process, loaded and not yet started. */
export interface Extensions {
  runner: ExtensionRunner;
  /** Tells what went wrong so far, and from here on at once; for when `ready` is written. */
  reportFailures(): void;
}

/**
 * Loads what is installed; with nothing installed no loader is loaded either.
 * @throws UsageError when an extension that the command line names fails.
 */
export async function loadAllExtensions(parts: ExtensionParts): Promise<Extensions> {
  const { options, settings, env, cwd, agentDir, output, warn } = parts;
  const waiting: ExtensionFailure[] = [];
  const tell = (failure: ExtensionFailure) => output.write({ type: "extension_error", ...failure });
  let report: (failure: ExtensionFailure) => void = (failure) => waiting.push(failure);
  const runner = new ExtensionRunner({
    cwd,
    flags: options.extensionFlags,
    sendsTitle: YES.test((env.PI_RPC_EMIT_TITLE ?? "").trim()),
    report(failure) {
      warn(`${failure.extensionPath} (${failure.event}): ${failure.error}`);
      report(failure);
    },
    warn,
  });
  const files = findExtensions({
    agentDir,
    cwd,
    isProjectTrusted: options.isProjectTrusted,
    configured: settings.extensions,
    explicit: options.extensions.map((path) => expandPath(path, cwd)),
    useDiscovered: options.useDiscoveredExtensions,
    warn,
  });
  if (files.length > 0) {
    const { loadExtensions } = await import("../extensions/load.ts");
    for (const { path, isExplicit, message } of await loadExtensions(files, runner, agentDir)) {
      if (isExplicit) throw new UsageError(`Error: ${message}`);
      warn(`${path}: ${message}`);
      waiting.push({ extensionPath: path, event: "load", error: message });
    }
  }
  await addBundledExtensions(runner, { options, settings, env, cwd, agentDir, warn });
  for (const flag of options.unknownFlags) if (!runner.claimsFlag(flag)) warn(`Unknown option --${flag} is ignored.`);
  return {
    runner,
    reportFailures() {
      report = tell;
      for (const failure of waiting.splice(0)) tell(failure);
    },
  };
}

/** Lets extensions do what they do at the start. Resolves when they have, or when prompts have waited long enough. */
export async function startExtensions(runner: ExtensionRunner): Promise<void> {
  const started = runner.notify({ type: "session_start", reason: "startup" });
  await atMost(Promise.race([started, runner.closed]), START_LIMIT_MS);
}

/** Lets extensions end what they began. */
export async function stopExtensions(runner: ExtensionRunner): Promise<void> {
  await atMost(runner.notify({ type: "session_shutdown", reason: "quit" }), SHUTDOWN_LIMIT_MS);
}
