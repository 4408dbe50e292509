import { UsageError } from "../config/args.ts";
import type { AgentOptions } from "../config/options.ts";
import { type Env, expandPath } from "../config/paths.ts";
import type { Settings } from "../config/settings.ts";
import { findExtensions } from "../extensions/discover.ts";
import type { ExtensionFailure } from "../extensions/extension-failure.ts";
import { ExtensionRunner } from "../extensions/runner.ts";
import { addBundledExtensions } from "./bundled-extensions.ts";
import type { Output } from "./output.ts";

const YES = /^(1|true|yes|on)$/i;

interface ExtensionParts {
  options: AgentOptions;
  settings: Settings;
  env: Env;
  childEnv: Env;
  cwd: string;
  agentDir: string;
  output: Output;
  warn(message: string): void;
}

/** The extensions of this process, loaded and not yet started. */
export interface Extensions {
  runner: ExtensionRunner;
  /** Loads what is installed now. What fails is reported and left out. */
  load(settings: Pick<Settings, "extensions">): Promise<void>;
  /** Tells what went wrong so far, and from here on at once; for when `ready` is written. */
  reportFailures(): void;
}

/**
 * Loads what is installed; with nothing installed no loader is loaded either.
 * @throws UsageError when an extension that the command line names fails.
 */
export async function loadAllExtensions(parts: ExtensionParts): Promise<Extensions> {
  const { options, settings, env, childEnv, cwd, agentDir, output, warn } = parts;
  const waiting: ExtensionFailure[] = [];
  const tell = (failure: ExtensionFailure) => output.write({ type: "extension_error", ...failure });
  let report: (failure: ExtensionFailure) => void = (failure) => waiting.push(failure);
  const warnAndReport = (failure: ExtensionFailure) => {
    warn(`${failure.extensionPath} (${failure.event}): ${failure.error}`);
    report(failure);
  };
  const runner = new ExtensionRunner({
    cwd,
    flags: options.extensionFlags,
    sendsTitle: YES.test((env.PI_RPC_EMIT_TITLE ?? "").trim()),
    report: warnAndReport,
    warn,
  });
  const loadInstalled = async ({ extensions }: Pick<Settings, "extensions">) => {
    const files = findExtensions({
      agentDir,
      cwd,
      isProjectTrusted: options.isProjectTrusted,
      configured: extensions,
      explicit: options.extensions.map((path) => expandPath(path, cwd)),
      useDiscovered: options.useDiscoveredExtensions,
      warn,
    });
    if (files.length === 0) return [];
    const { guardProcess } = await import("../extensions/process-guard.ts");
    guardProcess((call, error) => runner.blame(call, error));
    const { loadExtensions } = await import("../extensions/load.ts");
    return loadExtensions(files, runner, agentDir);
  };
  const tellFailure = ({ path, message }: { path: string; message: string }) =>
    warnAndReport({ extensionPath: path, event: "load", error: message });
  for (const failure of await loadInstalled(settings)) {
    if (failure.isExplicit) throw new UsageError(`Error: ${failure.message}`);
    tellFailure(failure);
  }
  await addBundledExtensions(runner, {
    options,
    settings,
    env,
    childEnv,
    cwd,
    agentDir,
    report: warnAndReport,
    warn,
  });
  for (const flag of options.unknownFlags) if (!runner.claimsFlag(flag)) warn(`Unknown option --${flag} is ignored.`);
  return {
    runner,
    async load(newSettings) {
      for (const failure of await loadInstalled(newSettings)) tellFailure(failure);
    },
    reportFailures() {
      report = tell;
      for (const failure of waiting.splice(0)) tell(failure);
    },
  };
}
