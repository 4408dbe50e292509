import { access, constants, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, delimiter, extname, isAbsolute, join, resolve } from "node:path";
import type { AgentCommand } from "../../../agent/client/agent-process.ts";
import { AgentNotStarted } from "../../../agent/client/client-errors.ts";
import { t } from "../../../webview/l10n.ts";
import { KEY_PROVIDERS } from "../keys/key-providers.ts";
import { SIGN_INS } from "../keys/sign-ins.ts";
import { splitCommandLine } from "./command-line.ts";
import { EDITOR_PROVIDER } from "./editor-provider.ts";

/** Options that decide how the agent is started. */
export interface AgentLaunch {
  /** A complete command line; empty for the bundled agent. */
  readonly commandLine: string;
  readonly extraEnv: Readonly<Record<string, string>>;
  readonly permissionMode: string;
  /** Globs of files that no tool may read. */
  readonly denyRead: readonly string[];
  readonly askForReadOnlyCommands: boolean;
  /** True when the project's own extensions, settings and servers may be used. */
  readonly isProjectTrusted: boolean;
  /** For a new session; empty to leave the choice to the agent. */
  readonly model: string;
  readonly thinkingLevel: string;
  /** Names new sessions; empty for the first words of their first message. */
  readonly titleModel: string;
  readonly cwd: string;
  /** All folders of the window, with their names. */
  readonly folders: readonly { readonly name: string; readonly path: string }[];
  readonly extensionPath: string;
  /** The session file to continue; it need not exist any more. */
  readonly sessionFile: string | undefined;
  /** The id of the session without such a file: an existing one, or a new one. */
  readonly sessionId: string;
  /** True when nothing is saved. */
  readonly isTemporary: boolean;
  /** False to start an agent without tools and servers. */
  readonly hasTools: boolean;
  /** Keys of the secret storage, by the variable that the agent reads. A custom agent gets them in its environment, which works with every agent. */
  readonly keys: Readonly<Record<string, string>>;
  readonly ripgrepPath: string | undefined;
  readonly parentEnv: Readonly<Record<string, string | undefined>>;
  /** The runtime of the bundled agent: the editor's own. */
  readonly runtime: string;
}

/** Builds the agent's command line and environment. @throws AgentNotStarted with the places that were searched. */
export async function locateAgent(launch: AgentLaunch): Promise<AgentCommand> {
  const env: Record<string, string> = { ...allowedEnv(launch.parentEnv), ...launch.extraEnv, ...launch.keys };
  if (launch.ripgrepPath !== undefined) env.TILLER_RG_PATH = launch.ripgrepPath;
  const args = await agentArgs(launch);
  if (launch.commandLine.trim() === "") return { ...(await bundledAgent(launch, env, args)), cwd: launch.cwd };
  const [program = "", ...own] = splitCommandLine(launch.commandLine);
  const file = await findProgram(program, launch.cwd, env);
  return { file, args: [...own, ...(isSsh(file) ? args.map(quotedForShell) : args)], cwd: launch.cwd, env };
}

/** True for the program that joins its arguments to one line for the shell of another machine. */
function isSsh(file: string): boolean {
  return /^ssh(\.exe)?$/i.test(basename(file));
}

function quotedForShell(arg: string): string {
  return /^[\w@%+=:,./-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", "'\\''")}'`;
}

async function agentArgs(launch: AgentLaunch): Promise<string[]> {
  const args = ["--mode", "rpc", "--rpc-stream", "delta", "--permission-mode", launch.permissionMode];
  args.push(launch.isProjectTrusted ? "--approve" : "--no-approve");
  const isResuming = launch.sessionFile !== undefined && (await exists(launch.sessionFile));
  if (launch.isTemporary) args.push("--no-session");
  else if (isResuming && launch.sessionFile !== undefined) args.push("--session", launch.sessionFile);
  else args.push("--session-id", launch.sessionId);
  if (!launch.hasTools) args.push("--no-tools");
  // A continued session keeps the model and level that were chosen in it.
  if (launch.model !== "" && !isResuming) args.push("--model", launch.model);
  if (launch.thinkingLevel !== "" && !isResuming) args.push("--thinking", launch.thinkingLevel);
  const roots = rootsText(launch);
  if (roots !== undefined) args.push("--append-system-prompt", roots);
  // A custom agent, perhaps on another machine, may know neither the demo nor models of a host.
  if (launch.commandLine.trim() !== "") return args;
  args.push("--host-provider", EDITOR_PROVIDER, "--demo");
  for (const { path } of launch.folders) if (path !== launch.cwd) args.push("--add-dir", path);
  if (launch.titleModel !== "") args.push("--title-model", launch.titleModel);
  if (launch.askForReadOnlyCommands) args.push("--ask-for-read-only-commands");
  for (const glob of launch.denyRead) args.push("--deny-read", glob);
  return args;
}

/** Describes the folders of the window for the model; undefined when there is only the agent's own. */
function rootsText({ cwd, folders }: AgentLaunch): string | undefined {
  if (folders.length < 2) return undefined;
  const lines = folders.map(({ name, path }) => `- ${name}: ${path}${path === cwd ? " (your working directory)" : ""}`);
  return [
    "The editor's window has several folders:",
    ...lines,
    "The user and the editor write paths with the name of the folder in front, such as",
    `\`${folders[0]?.name}/src/a.ts\`. Tools resolve relative paths from your working directory, so give them absolute paths for the others.`,
  ].join("\n");
}

async function bundledAgent(
  launch: AgentLaunch,
  env: Readonly<Record<string, string>>,
  args: readonly string[],
): Promise<Omit<AgentCommand, "cwd">> {
  const cli = join(launch.extensionPath, "dist", "agent", "cli.js");
  if (!(await exists(cli))) {
    throw new AgentNotStarted(t("The bundled agent is missing: {0}. Reinstall the extension.", cli));
  }
  const { secrets, rest } = splitKeys(env);
  return { file: launch.runtime, args: [cli, ...args], env: { ...rest, ELECTRON_RUN_AS_NODE: "1" }, ...secrets };
}

/** Splits an environment into keys and the rest: the bundled agent gets keys through a pipe. */
function splitKeys(env: Readonly<Record<string, string>>) {
  const isKey = ([name]: [string, string]) =>
    KEY_PROVIDERS.some(({ variable, otherVariable }) => name === variable || name === otherVariable) ||
    SIGN_INS.some(({ variable }) => name === variable);
  const all = Object.entries(env);
  const keys = all.filter(isKey);
  return {
    rest: Object.fromEntries(all.filter((entry) => !isKey(entry))),
    secrets: keys.length === 0 ? {} : { secrets: Object.fromEntries(keys) },
  };
}

async function findProgram(program: string, cwd: string, env: Readonly<Record<string, string>>): Promise<string> {
  const name = program.replace(/^~(?=$|[\\/])/, homedir());
  const looked = candidates(name, cwd, env);
  for (const file of looked) {
    if (!(await isProgram(file))) continue;
    if (process.platform === "win32" && /^\.(cmd|bat)$/i.test(extname(file))) {
      throw new AgentNotStarted(
        t(
          '{0} is a batch file and can\'t be started safely. Set "tiller.agent.command" to the program it calls.',
          file,
        ),
      );
    }
    return file;
  }
  throw new AgentNotStarted(
    t(
      'Couldn\'t find the program "{0}" from the setting "tiller.agent.command". Tried: {1}',
      program,
      looked.join(", "),
    ),
  );
}

function candidates(name: string, cwd: string, env: Readonly<Record<string, string>>): string[] {
  const endings = process.platform === "win32" && extname(name) === "" ? [".exe", ".com", ".cmd", ".bat"] : [""];
  const isPath = isAbsolute(name) || name.includes("/") || name.includes("\\");
  const path = Object.entries(env).find(([key]) => key.toUpperCase() === "PATH")?.[1] ?? "";
  const folders = isPath ? [cwd] : path.split(delimiter).filter((folder) => folder !== "");
  return folders.flatMap((folder) => endings.map((ending) => resolve(folder, name + ending)));
}

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    // Missing or not executable: try the next place.
    return false;
  }
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Environment variables that an agent and its commands need: paths, locales, proxies, certificates, tool chains, and the agent's own. All others
 * are left out, such as secrets that other programs left in the editor's environment.
 */
const ALLOWED_NAMES = new Set(
  `PATH HOME USER LOGNAME SHELL LANG LANGUAGE TERM TZ TMPDIR TEMP TMP DISPLAY WAYLAND_DISPLAY DBUS_SESSION_BUS_ADDRESS SSH_AUTH_SOCK
  SSH_AGENT_PID HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR EDITOR PAGER
  ANTHROPIC_API_KEY ANTHROPIC_AUTH_TOKEN ANTHROPIC_BASE_URL PI_CODING_AGENT_DIR PI_CODING_AGENT_SESSION_DIR PI_OFFLINE PI_RPC_EMIT_TITLE
  GOPATH GOROOT NVM_DIR NVM_BIN PYENV_ROOT VIRTUAL_ENV CONDA_PREFIX CONDA_EXE DOCKER_HOST KUBECONFIG
  SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT USERPROFILE USERNAME APPDATA LOCALAPPDATA PROGRAMDATA PROGRAMFILES PROGRAMFILES(X86)
  PROGRAMW6432 COMMONPROGRAMFILES HOMEDRIVE HOMEPATH NUMBER_OF_PROCESSORS PROCESSOR_ARCHITECTURE OS`.split(/\s+/),
);
const ALLOWED_PATTERN = /^(LC_.+|XDG_.+|TILLER_.+|[A-Z0-9]+_HOME)$/;

/** Returns the part of `parent` that an agent may see. Names are compared without case, as on Windows. */
function allowedEnv(parent: Env): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(parent)) {
    const upper = name.toUpperCase();
    if (value !== undefined && (ALLOWED_NAMES.has(upper) || ALLOWED_PATTERN.test(upper))) env[name] = value;
  }
  return env;
}
