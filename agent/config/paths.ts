import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { APP_NAME } from "../protocol/envelope.ts";

/** The environment as the agent reads it. */
export type Env = Readonly<Record<string, string | undefined>>;

/** A path as people write it: `~` is the home folder, the rest is relative to `cwd`. */
export function expandPath(path: string, cwd: string, home = homedir()): string {
  if (path === "~") return home;
  if (path.startsWith("~/") || path.startsWith("~\\")) return join(home, path.slice(2));
  return isAbsolute(path) ? path : resolve(cwd, path);
}

/** Returns the folder of the user's files: `$PI_CODING_AGENT_DIR`, else `~/.tiller/agent`. */
export function agentDirectory(env: Env, cwd: string, home = homedir()): string {
  const chosen = env.PI_CODING_AGENT_DIR;
  return chosen ? expandPath(chosen, cwd, home) : join(home, `.${APP_NAME}`, "agent");
}

/** The file with models and providers of the user's. */
export function modelsPath(agentDir: string): string {
  return join(agentDir, "models.json");
}

/** The file with the credentials for MCP servers. */
export function mcpCredentialsPath(agentDir: string): string {
  return join(agentDir, "mcp-credentials.json");
}

/** Returns the folder of a project's own settings and resources. */
export function projectDirectory(cwd: string): string {
  return join(cwd, `.${APP_NAME}`);
}

/** The folder name under `sessions/` for the sessions of one working directory. */
export function sessionFolderName(cwd: string): string {
  return `--${cwd.replace(/^[/\\]/, "").replace(/[/\\:]/g, "-")}--`;
}
