import { findMcpFiles } from "../../bundled/mcp/mcp-files.ts";
import type { McpDesk, OpenUrl } from "../../bundled/mcp/mcp-parts.ts";
import type { AgentOptions } from "../../config/options.ts";
import { type Env, mcpCredentialsPath } from "../../config/paths.ts";
import { SecretFile } from "../../config/secret-file.ts";
import type { Settings } from "../../config/settings.ts";
import type { ExtensionAPI } from "../../extensions/api.ts";
import type { ConsentDesk } from "../../extensions/consent/consent-desk.ts";
import type { ExtensionFailure } from "../../extensions/extension-failure.ts";
import type { ExtensionRunner } from "../../extensions/runner.ts";
import { APP_NAME } from "../../protocol/envelope.ts";
import { VERSION } from "../../util/version.ts";
import type { HostSecretBridge } from "../wire/host-secrets.ts";
import { KeptSecrets } from "./kept-secrets.ts";

/** The environment of a bundled extension at its start. */
export interface BundledParts {
  options: AgentOptions;
  settings: Settings;
  env: Env;
  /** The environment of child processes. */
  childEnv: Env;
  cwd: string;
  agentDir: string;
  consents: ConsentDesk;
  hostSecrets: HostSecretBridge;
  /** Tells the host that a run waits for these MCP servers. */
  waiting(names: readonly string[]): void;
  openUrl: OpenUrl;
  offerMcpDesk(desk: McpDesk): void;
  /** Reports a failure to hosts and people. */
  report(failure: ExtensionFailure): void;
  /** Writes a message for people to stderr. */
  warn(message: string): void;
}

interface BundledExtension {
  /** Reports failures. */
  name: string;
  /** Decides without loading anything, so that an unused extension costs nothing. */
  isWanted(parts: BundledParts): boolean;
  load(parts: BundledParts): Promise<(api: ExtensionAPI) => unknown>;
}

const MCP_NAME = "mcp";

/** In the order in which their handlers are called, after those of all other extensions. */
const BUNDLED: readonly BundledExtension[] = [
  { name: MCP_NAME, isWanted: wantsMcp, load: loadMcp },
  { name: "trust", isWanted: ({ options }) => options.isProjectTrusted, load: loadTrust },
];

/** Loads the agent's own extensions. */
export async function addBundledExtensions(
  runner: ExtensionRunner,
  given: Omit<BundledParts, "openUrl">,
): Promise<void> {
  const parts = { ...given, openUrl: (url: string, text: string) => openUrl(runner, url, text) };
  for (const { name, isWanted, load } of BUNDLED) {
    if (isWanted(parts)) await runner.addBundled(name, await load(parts));
  }
}

/** For hosts that don't know `open_url`, a notice with the address comes before it. */
function openUrl({ ui }: ExtensionRunner, url: string, message: string): void {
  ui?.tell({ method: "notify", message, notifyType: "info", fallbackFor: "open_url" });
  ui?.tell({ method: "open_url", url });
}

/** Also without a file that names servers: the first one may come while the agent runs. */
function wantsMcp({ options }: BundledParts): boolean {
  return options.useMcp && !options.tools.useNone;
}

async function loadMcp(parts: BundledParts): Promise<(api: ExtensionAPI) => unknown> {
  const { options, settings, env, childEnv, cwd, agentDir, consents, hostSecrets, waiting, openUrl } = parts;
  const { offerMcpDesk, report, warn } = parts;
  const sources = { agentDir, cwd, isProjectTrusted: options.isProjectTrusted };
  findMcpFiles({ ...sources, warn }); // says once which files do not count
  const { createMcpExtension } = await import("../../bundled/mcp/mcp-extension.ts");
  return createMcpExtension({
    files: () => findMcpFiles({ ...sources, warn: () => undefined }),
    cwd,
    isProjectTrusted: options.isProjectTrusted,
    consents,
    secrets: new KeptSecrets({ host: hostSecrets, file: new SecretFile(mcpCredentialsPath(agentDir), warn), warn }),
    openUrl,
    offerDesk: offerMcpDesk,
    childEnv: () => ({ ...childEnv, AI_AGENT: APP_NAME, PI_CODING_AGENT: "true" }),
    wholeEnv: env,
    version: VERSION,
    isOffline: options.isOffline,
    ...settings.mcp,
    report: (error, signIn) =>
      report({ extensionPath: `<${MCP_NAME}>`, event: "server", error, ...(signIn !== undefined && { signIn }) }),
    waiting,
    warn,
  });
}

/** The command comes with the first thing that can be allowed. */
async function loadTrust({ consents }: BundledParts): Promise<(api: ExtensionAPI) => unknown> {
  return (api) => {
    consents.onFirst(() =>
      api.registerCommand("trust", {
        description: "Choose which of the project's extensions, MCP servers, and hooks may run",
        handler: (_args, ctx) => consents.manage(ctx.ui),
      }),
    );
  };
}
