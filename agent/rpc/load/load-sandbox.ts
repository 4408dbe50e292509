import { homedir } from "node:os";
import { basename } from "node:path";
import { expandPath } from "../../config/paths.ts";
import type { SandboxSettings } from "../../config/sandbox-settings.ts";
import type { PortAccess } from "../../sandbox/open-ports.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { CommandSandbox, OpenedServer } from "../../tools/contained.ts";
import { DeniedPaths } from "../../util/denied-paths.ts";
import { looksSecret } from "../../util/secret-files.ts";

/** The sandbox of an agent, whose code is loaded for the first command in it. */
export interface AgentSandbox extends CommandSandbox {
  /** Returns why commands can't be contained here, in words that complete "Commands can't run in a sandbox here: ". */
  problem(): Promise<string | undefined>;
  /** Returns, once, the servers that were opened since the last call. */
  takeOpened(): Promise<OpenedServer[]>;
  /** Ends everything that runs in it. */
  end(): Promise<void>;
}

interface SandboxParts {
  settings: SandboxSettings;
  /** The folders of the workspace. */
  roots: readonly string[];
  agentDir: string;
  env: NodeJS.ProcessEnv;
  denyRead: readonly string[];
  /** Tells the user. */
  warn(message: string): void;
  /** Tells the user good news. */
  inform(message: string): void;
  /** Asks whether commands may reach a host, which has a port if that isn't the usual one. */
  mayReach(host: string): Promise<boolean>;
  /** Asks whether a port may be reached from outside. */
  mayOpen(port: number, ended: AbortSignal): Promise<boolean>;
}

/** Files that tests and tools read from a workspace, although such files elsewhere are somebody's. */
const USED_BY_TOOLS = /\.(pem|key|p12|pfx|p8|jks|keystore|gpg|tfstate)$|^\.npmrc$/;
const USUAL_PORTS: ReadonlySet<number> = new Set([80, 443]);
/** The system hands out ports from here on to programs that name none: nobody opens those in a browser. */
const FIRST_TEMPORARY_PORT = 32_768;

export function loadSandbox(parts: SandboxParts): AgentSandbox {
  const { settings, roots, agentDir, env, denyRead, warn, mayReach } = parts;
  const home = homedir();
  const [denied, allowed] = [denyRead, settings.allowRead].map((globs) => new DeniedPaths(globs, { home, roots }));
  const isSecret = (path: string) => {
    if (denied?.has(path) === true) return true;
    const name = basename(path);
    return looksSecret(name) && !USED_BY_TOOLS.test(name) && allowed?.has(path) !== true;
  };
  // Others are globs of names, which count in the workspace.
  const hidden = denyRead.filter((glob) => /^(\/|~\/)[^*?[\]{}]+$/.test(glob)).map((path) => expandPath(path, home));
  let loading: Promise<Sandbox> | undefined;
  const load = () => {
    loading ??= import("../../sandbox/sandbox.ts").then(
      (module) =>
        new module.Sandbox({
          ...{ roots, home, agentDir, env, hidden, isSecret },
          caches: settings.caches,
          onTaken: (paths) => warn(takenText(paths)),
          ports: portAccess(parts),
          mayReach:
            settings.network === "off"
              ? undefined
              : ({ host, port }) => mayReach(USUAL_PORTS.has(port) ? host : `${host}:${port}`),
        }),
    );
    return loading;
  };
  return {
    contain: async (containment) => (await load()).contain(containment),
    problem: async () => (await load()).problem(),
    takeOpened: async () => (await loading)?.takeOpened() ?? [],
    end: async () => (await loading)?.end(),
  };
}

/** Opens ports as the settings and the user say. */
function portAccess({ settings: { ports }, mayOpen, inform }: SandboxParts): PortAccess | undefined {
  if (ports === "off") return undefined;
  const isListed = (port: number) => ports !== "ask" && ports.includes(port);
  return {
    concerns: (port) => isListed(port) || port < FIRST_TEMPORARY_PORT,
    mayOpen: async (port, ended) => isListed(port) || mayOpen(port, ended),
    onOpened: ({ port, address }) => inform(`The server on port ${port} of the sandbox is at ${address}.`),
  };
}

/** Tells the user what was renamed: it may be theirs. */
function takenText(paths: readonly string[]): string {
  return `Commands in the sandbox may not create ${paths.join(", ")}. Tiller renamed it: its name now ends in .from-sandbox. If you created it, rename it back when nothing runs in the sandbox.`;
}
