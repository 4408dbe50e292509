import { type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { APP_NAME } from "../../protocol/envelope.ts";

/** A file that may configure MCP servers, or an extension that registered some. */
export interface McpFile {
  path: string;
  scope: "user" | "project" | "extension";
}

/** The places of files that name MCP servers. */
export interface McpFileSources {
  agentDir: string;
  cwd: string;
  isProjectTrusted: boolean;
  warn(message: string): void;
}

/** Returns a text that changes when one of these files is changed, added or removed; "" for none. */
export function fingerprintOf(files: readonly McpFile[]): string {
  return files
    .map(({ path }) => {
      const { mtimeMs = 0, size = 0 } = statsOf(path) ?? {};
      return `${path} ${mtimeMs} ${size}`;
    })
    .join("\n");
}

/**
 * Lists the existing files, the file with the highest precedence first: the project's, then the user's. A project's
 * servers run with the user's rights, so its files aren't even read before the user trusts it.
 */
export function findMcpFiles({ agentDir, cwd, isProjectTrusted, warn }: McpFileSources): McpFile[] {
  const projectFiles = projectPaths(cwd)
    .filter(isFile)
    .map((path) => ({ path, scope: "project" as const }));
  const userFiles = isFile(userPath(agentDir)) ? [{ path: userPath(agentDir), scope: "user" as const }] : [];
  if (isProjectTrusted || projectFiles.length === 0) return [...projectFiles, ...userFiles];
  warn(`Ignored the MCP servers in ${cwd} because you haven't trusted the project (--approve).`);
  return userFiles;
}

function projectPaths(cwd: string): string[] {
  return [join(cwd, `.${APP_NAME}`, "mcp.json"), join(cwd, ".mcp.json"), join(cwd, ".vscode", "mcp.json")];
}

function userPath(agentDir: string): string {
  return join(agentDir, "mcp.json");
}

function isFile(path: string): boolean {
  return statsOf(path)?.isFile() === true;
}

function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // a link that leads back to itself, or a folder that nobody may read
  }
}
