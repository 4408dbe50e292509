import { ConsentFile } from "../../config/consents.ts";
import { hideVariables } from "../../config/environment.ts";
import type { AgentOptions } from "../../config/options.ts";
import { agentDirectory, type Env, modelsPath, projectDirectory } from "../../config/paths.ts";
import { loadSettings, type Settings } from "../../config/settings.ts";
import { storeTrust, takesTrust } from "../../config/trust.ts";
import type { ExtensionAPI } from "../../extensions/api.ts";
import { ConsentDesk } from "../../extensions/consent/consent-desk.ts";
import { warnOnce } from "../../prompt/resource-files.ts";
import { variablesOfModelsFile } from "../../providers/models-file.ts";
import type { RunLimits } from "../../session/run-limits.ts";
import type { SessionProcesses } from "../../tools/session-processes.ts";
import { DialogHub } from "../wire/dialogs.ts";
import { HostModelBridge } from "../wire/host-models.ts";
import { HostSecretBridge } from "../wire/host-secrets.ts";
import { HostToolBridge } from "../wire/host-tools.ts";
import type { FrameSink, HostWire } from "../wire/host-wire.ts";
import { Output } from "../wire/output.ts";
import type { ShutdownSignal } from "../wire/shutdown.ts";
import { createExtensions, type Extensions } from "./extensions.ts";

/** The surroundings of a session: its process, its folder, and the way to its host. */
export interface RpcProcess {
  options: AgentOptions;
  env: Env;
  /** The environment of child processes. */
  childEnv: Env;
  cwd: string;
  wire: HostWire;
  /** An extension of a host in the same process. */
  extension?: ((api: ExtensionAPI) => void) | undefined;
  processes: SessionProcesses;
  /** Ends runs that take too long or cost too much. */
  limits?: RunLimits | undefined;
  onSignal(listener: (signal: ShutdownSignal) => void): void;
  /** Calls `handles` for uncaught errors; an error that it doesn't handle ends the process. */
  onStrayError(handles: (error: unknown) => boolean): void;
  /** Kills everything that still runs and ends the process. */
  exit(code: number): void;
}

/** The parts that exist before the session. */
export interface Prepared {
  rpc: RpcProcess;
  agentDir: string;
  settings: Settings;
  /** Reads the current settings; each error in them is reported once. */
  readSettings(): Promise<Settings>;
  writer: FrameSink;
  output: Output;
  dialogs: DialogHub;
  hostTools: HostToolBridge;
  hostModels: HostModelBridge;
  hostSecrets: HostSecretBridge;
  extensions: Extensions;
  consents: ConsentDesk;
  /** Writes a message for people to stderr. */
  warn(message: string): void;
}

/**
 * Reads the settings and loads the extensions. Nothing is written to stdout yet.
 * @param onOutputClosed called when the reader of stdout is gone, or with the reason why stdout cannot be written.
 * @throws UsageError when an extension that the command line names fails.
 */
export async function prepare(
  rpc: RpcProcess,
  onOutputClosed: (failure: Error | undefined) => void,
): Promise<Prepared> {
  const { env, cwd } = rpc;
  const warn = (message: string) => console.error(message);
  const agentDir = agentDirectory(env, cwd);
  hideVariables(await variablesOfModelsFile({ path: modelsPath(agentDir), env }));
  const consents = new ConsentDesk({
    file: new ConsentFile({ agentDir, cwd, warn: warnOnce(warn) }),
    // A host that names a mode speaks our dialect and answers dialogs; for other hosts, trust in the project is the
    // user's consent.
    isAsking: rpc.options.permissionMode !== undefined,
    warn,
  });
  const extensions = createExtensions({
    options: rpc.options,
    extension: rpc.extension,
    env,
    cwd,
    agentDir,
    consents,
    warn,
  });
  rpc.onStrayError((error) => extensions.runner.takeStray(error));
  const options = {
    ...rpc.options,
    ...(await decideTrust(rpc.options, extensions, { agentDir, cwd, warn })),
  };
  const sources = { agentDir, projectDir: projectDirectory(cwd), isProjectTrusted: options.isProjectTrusted };
  const warnOfSettings = warnOnce(warn);
  const readSettings = () => loadSettings({ ...sources, warn: warnOfSettings });
  const settings = await readSettings();
  const writer = rpc.wire.open(onOutputClosed);
  const output = new Output(writer, options.stream ?? settings.rpc.stream);
  const write = (frame: object) => output.write(frame);
  const hostSecrets = new HostSecretBridge(write);
  const waiting = (names: readonly string[]) =>
    void output.emit({ type: "run_waiting", for: "mcp_servers", names: [...names] });
  await extensions.loadAll({ options, settings, childEnv: rpc.childEnv, hostSecrets, waiting });
  return {
    rpc: { ...rpc, options },
    agentDir,
    settings,
    readSettings,
    writer,
    output,
    dialogs: new DialogHub(write, () => output.isFull),
    hostTools: new HostToolBridge({ write, timeoutMs: settings.rpc.hostToolTimeoutMs, warn }),
    hostModels: new HostModelBridge({ write, warn }),
    hostSecrets,
    extensions,
    consents,
    warn,
  };
}

/**
 * Decides whether the project's own code may run: the command line does, or else an extension of the user, or else the
 * saved decision.
 */
async function decideTrust(
  { saysTrust, isProjectTrusted, isProjectDeclined }: AgentOptions,
  extensions: Extensions,
  { agentDir, cwd, warn }: { agentDir: string; cwd: string; warn(message: string): void },
): Promise<Pick<AgentOptions, "isProjectTrusted" | "isProjectDeclined">> {
  if (saysTrust || !takesTrust(cwd)) return { isProjectTrusted, isProjectDeclined };
  const sources = { agentDir, projectDir: projectDirectory(cwd), isProjectTrusted: false };
  const decision = await extensions.decideTrust(await loadSettings({ ...sources, warn: () => undefined }));
  if (decision?.isKept) storeTrust(agentDir, cwd, decision.isTrusted, warn);
  if (decision === undefined) return { isProjectTrusted, isProjectDeclined };
  return { isProjectTrusted: decision.isTrusted, isProjectDeclined: !decision.isTrusted };
}
