import type { RegisteredMcpServer } from "../../extensions/author.ts";
import type { ToolExposure } from "../../tools/tool-traits.ts";
import { readEntry, type ServerEntries, type ServerEntry } from "./server-config.ts";

/** Adds the servers of extensions to those of files, which take precedence. */
export function withRegistered(files: ServerEntries, registered: readonly RegisteredMcpServer[]): ServerEntries {
  const read = { entries: [...files.entries], problems: [...files.problems], hidden: [...files.hidden] };
  const names = new Set(read.entries.map(({ name }) => name));
  for (const { name, config, extensionPath } of registered) {
    const entry = readEntry(config);
    if (typeof entry === "string") {
      read.problems.push(`${extensionPath}: server "${name}" is left out: ${entry}`);
      continue;
    }
    const file = { path: extensionPath, scope: "extension" as const };
    (names.has(name) ? read.hidden : read.entries).push({ ...entry, name, file, inputs: new Map() });
  }
  return read;
}

/** Returns the exposure of a server's tool. An exact name takes precedence over patterns, and the first matching pattern wins. */
export function exposureOf(
  { exposure, toolExposure = {} }: Pick<ServerEntry, "exposure" | "toolExposure">,
  tool: string,
): ToolExposure | undefined {
  if (Object.hasOwn(toolExposure, tool)) return toolExposure[tool];
  const matching = Object.entries(toolExposure).find(([pattern]) => matches(pattern, tool));
  return matching === undefined ? exposure : matching[1];
}

function matches(pattern: string, tool: string): boolean {
  if (!pattern.includes("*")) return false;
  const [start = "", ...rest] = pattern.split("*");
  const end = rest.pop() ?? "";
  if (!tool.startsWith(start) || !tool.endsWith(end) || tool.length < start.length + end.length) return false;
  let at = start.length;
  for (const part of rest) {
    const found = tool.slice(0, tool.length - end.length).indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return true;
}
