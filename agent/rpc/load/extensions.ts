import type { McpDesk } from "../../bundled/mcp/mcp-parts.ts";
import { UsageError } from "../../config/args.ts";
import type { AgentOptions } from "../../config/options.ts";
import { type Env, expandPath } from "../../config/paths.ts";
import type { Settings } from "../../config/settings.ts";
import type { ExtensionAPI } from "../../extensions/api.ts";
import type { ConsentDesk } from "../../extensions/consent/consent-desk.ts";
import { extensionSubject } from "../../extensions/consent/extension-subject.ts";
import { type ExtensionFile, findExtensions, realPath } from "../../extensions/discover.ts";
import type { ExtensionFailure } from "../../extensions/extension-failure.ts";
import type { LoadFailure } from "../../extensions/load.ts";
import { askForTrust, type TrustDecision } from "../../extensions/project-trust.ts";
import { ExtensionRunner } from "../../extensions/runner.ts";
import { AgentError } from "../../protocol/errors.ts";
import type { HostSecretBridge } from "../wire/host-secrets.ts";
import { addBundledExtensions } from "./bundled-extensions.ts";
import { HookLoader } from "./load-hooks.ts";

const YES = /^(1|true|yes|on)$/i;

interface ExtensionParts {
  options: AgentOptions;
  extension: ((api: ExtensionAPI) => void) | undefined;
  env: Env;
  cwd: string;
  agentDir: string;
  consents: ConsentDesk;
  warn(message: string): void;
}

/** The extensions of this process, loaded and not yet started. */
export interface Extensions {
  runner: ExtensionRunner;
  /**
   * Loads the user's extensions, and lets them decide whether to trust a project. @returns undefined when they don't.
   * @throws UsageError when an extension that the command line names cannot be loaded.
   */
  decideTrust(settings: NamesExtensions): Promise<TrustDecision | undefined>;
  /**
   * Loads the other installed extensions, and the agent's own; loads no loader when none is installed.
   * @throws UsageError when an extension that the command line names cannot be loaded.
   */
  loadAll(parts: LoadParts): Promise<void>;
  /** Loads the installed extensions and the hooks. Extensions that fail are reported and left out. */
  load(settings: Settings): Promise<void>;
  /** Resources and prompts of MCP servers; undefined if MCP is off. */
  readonly mcp: McpDesk | undefined;
  /** Returns, once, what hooks want for a call. */
  takeWish(toolCallId: string): "allow" | "ask" | undefined;
  /** Reports all failures so far, and later ones at once; called when `ready` is written. */
  reportFailures(tell: (failure: ExtensionFailure) => void): void;
}

/** Parts that exist only after the settings have been read. */
interface LoadParts {
  options: AgentOptions;
  settings: Settings;
  childEnv: Env;
  hostSecrets: HostSecretBridge;
  /** Tells the host that a run waits for these MCP servers. */
  waiting(names: readonly string[]): void;
}

type NamesExtensions = Pick<Settings, "extensions">;

/** Creates the loader and keeper of this process's extensions. */
export function createExtensions(parts: ExtensionParts): Extensions {
  const { options, env, cwd, warn } = parts;
  const waiting: ExtensionFailure[] = [];
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
  const installed = new InstalledExtensions(parts, runner);
  let mcp: McpDesk | undefined;
  const offerMcpDesk = (desk: McpDesk) => {
    mcp = desk;
  };
  const wishes = new Map<string, "allow" | "ask">();
  const hooks = new HookLoader({ ...parts, runner, wishes });
  const tellFailure = ({ path, message }: { path: string; message: string }) =>
    warnAndReport({ extensionPath: path, event: "load", error: message });
  const loadOrThrow = async (settings: NamesExtensions) => {
    for (const failure of await installed.load(settings)) {
      // A host can continue without an extension that threw, and gets a report; a path without an extension is an error
      // of the command line.
      const isBearable = failure.hasThrown && options.action === "rpc";
      if (failure.isExplicit && !isBearable) throw loadError(failure);
      tellFailure(failure);
    }
  };
  return {
    runner,
    async decideTrust(settings) {
      await loadOrThrow(settings);
      return askForTrust(runner, cwd);
    },
    async loadAll({ options: trusting, settings, childEnv, hostSecrets, waiting }) {
      installed.isProjectTrusted = trusting.isProjectTrusted;
      await loadOrThrow(settings);
      const own = { settings, childEnv, hostSecrets, waiting, offerMcpDesk, report: warnAndReport };
      if (parts.extension !== undefined) await runner.addBundled("host", parts.extension);
      await addBundledExtensions(runner, { ...parts, ...own, options: trusting });
      await hooks.load({ settings, childEnv, isProjectTrusted: trusting.isProjectTrusted });
      for (const flag of options.unknownFlags.filter((name) => !runner.claimsFlag(name))) {
        if (options.isHeadless) throw new UsageError(unknownOption(flag, options.extensionFlags.get(flag)));
        warn(`Unknown option --${flag} is ignored.`);
      }
    },
    async load(settings) {
      installed.forget();
      for (const failure of await installed.load(settings)) tellFailure(failure);
      await hooks.reload(settings);
    },
    get mcp() {
      return mcp;
    },
    takeWish(toolCallId) {
      const wish = wishes.get(toolCallId);
      wishes.delete(toolCallId);
      return wish;
    },
    reportFailures(tell) {
      report = tell;
      for (const failure of waiting.splice(0)) tell(failure);
    },
  };
}

/** An unknown option may have taken a message as its value, so nothing is sent without it. */
function unknownOption(flag: string, value: string | undefined): string {
  const taken = value === undefined ? "" : ` It took "${value}" as its value.`;
  return `Error: Unknown option --${flag}.${taken}`;
}

function loadError(failure: LoadFailure): Error {
  const text = withPath(failure);
  return failure.hasThrown ? new AgentError("start_failed", text) : new UsageError(`Error: ${text}`);
}

function withPath({ path, message }: LoadFailure): string {
  return message.includes(path) ? message : `${message} (${path})`;
}

/** Loads files of extensions, each once. */
class InstalledExtensions {
  /** Nothing of the project is loaded until this is true; undefined omits it without a report. */
  isProjectTrusted: boolean | undefined;
  readonly #parts: ExtensionParts;
  readonly #runner: ExtensionRunner;
  readonly #tried = new Set<string>();

  constructor(parts: ExtensionParts, runner: ExtensionRunner) {
    this.#parts = parts;
    this.#runner = runner;
  }

  /** Forgets the loaded extensions. */
  forget(): void {
    this.#tried.clear();
  }

  async load({ extensions }: NamesExtensions): Promise<LoadFailure[]> {
    const { options, cwd, agentDir, warn } = this.#parts;
    const files = findExtensions({
      agentDir,
      cwd,
      isProjectTrusted: this.isProjectTrusted === true,
      configured: extensions,
      explicit: options.extensions.map((path) => expandPath(path, cwd)),
      useDiscovered: options.useDiscoveredExtensions,
      warn: this.isProjectTrusted === undefined ? () => undefined : warn,
    });
    const allowed = files.filter((file) => this.#mayRun(file));
    const untried = allowed.filter(({ path }) => !this.#tried.has(realPath(path)));
    if (untried.length === 0) return [];
    for (const { path } of untried) this.#tried.add(realPath(path));
    const { guardProcess } = await import("../../extensions/process-guard.ts");
    guardProcess((call, error) => this.#runner.blame(call, error));
    const { loadExtensions } = await import("../../extensions/load.ts");
    const failures = await loadExtensions(untried, this.#runner, agentDir);
    this.#runner.arrange(files.map(({ path }) => path));
    return failures;
  }

  /** An extension that the user installed, or names on the command line, is the user's own choice. */
  #mayRun({ path, scope, isExplicit }: ExtensionFile): boolean {
    const { consents, cwd } = this.#parts;
    return scope !== "project" || isExplicit || consents.mayRun(extensionSubject(path, cwd));
  }
}
