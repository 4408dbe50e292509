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
  cwd: string;
  agentDir: string;
  output: Output;
  warn(message: string): void;
}

/** The extensions of this process, loaded and not yet started. */
export interface Extensions {
  runner: ExtensionRunner;
  /** Tells what went wrong so far, and from here on at once; for when `ready` is written. */
  /** Loads what is installed now. What fails is reported and left out. */
  load(settings: Pick<Settings, "extensions">): Promise<void>;
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
  const warnAndReport = (failure: ExtensionFailure) => {
    warn(`${failure.extensionPath} (${failure.event}): ${failure.error}`);
    report(failure);
  };
    cwd,
    flags: options.extensionFlags,
    sendsTitle: YES.test((env.PI_RPC_EMIT_TITLE ?? "").trim()),
    report: warnAndReport,
    warn,
  });
  const files = findExtensions({
    agentDir,
    cwd,
    agentDir,
    report: warnAndReport,
    warn,
  });
  for (const flag of options.unknownFlags) if (!runner.claimsFlag(flag)) warn(`Unknown option --${flag} is ignored.`);
  return {
    runner,
    reportFailures() {
      report = tell;
      for (const failure of waiting.splice(0)) tell(failure);
    },
  };
}
    async load(newSettings) {
      for (const failure of await loadInstalled(newSettings)) tellFailure(failure);
    },
