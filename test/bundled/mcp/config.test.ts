import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { expandConfig, inputIds } from "../../../agent/bundled/mcp/expand-config.ts";
import { findMcpFiles } from "../../../agent/bundled/mcp/mcp-files.ts";
import { readServerEntries, type ServerConfig } from "../../../agent/bundled/mcp/server-config.ts";
import { writeFiles } from "../../support/extension-files.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tiller-mcp-config-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function read(files: Record<string, string>) {
  writeFiles(folder, files);
  const sources = { agentDir: join(folder, "agent"), cwd: folder, isProjectTrusted: true, warn: () => {} };
  return readServerEntries(findMcpFiles(sources));
}

describe("files that name MCP servers", () => {
  it("are read in this order: .tiller, .mcp.json, .vscode, the user's", () => {
    const { entries, hidden } = read({
      ".tiller/mcp.json": `{"mcpServers": {"a": {"command": "one"}}}`,
      ".mcp.json": `{"mcpServers": {"a": {"command": "two"}, "b": {"command": "two"}}}`,
      ".vscode/mcp.json": `{"servers": {"b": {"command": "three"}, "c": {"command": "three"}}}`,
      "agent/mcp.json": `{"mcpServers": {"c": {"command": "four"}, "d": {"command": "four"}}}`,
    });
    expect(entries.map(({ name, config }) => [name, config.kind === "stdio" && config.command])).toEqual([
      ["a", "one"],
      ["b", "two"],
      ["c", "three"],
      ["d", "four"],
    ]);
    expect(hidden.map(({ name, file }) => [name, file.path.slice(folder.length)])).toEqual([
      ["a", "/.mcp.json"],
      ["b", "/.vscode/mcp.json"],
      ["c", "/agent/mcp.json"],
    ]);
  });

  it("hide no server of a later file behind an invalid one", () => {
    const { entries } = read({
      ".mcp.json": `{"mcpServers": {"a": {}}}`,
      "agent/mcp.json": `{"mcpServers": {"a": {"command": "own"}}}`,
    });
    expect(entries.map(({ file }) => file.scope)).toEqual(["user"]);
  });

  it("can contain comments and trailing commas, and begin with a byte order mark", () => {
    const { entries, problems } = read({ ".mcp.json": `\uFEFF{ // mine\n "mcpServers": {"a": {"command": "x",},}, }` });
    expect(problems).toEqual([]);
    expect(entries[0]?.config).toEqual({ kind: "stdio", command: "x", args: [], env: {} });
  });

  it("lose only an invalid entry", () => {
    const path = join(folder, ".mcp.json");
    const { entries, problems } = read({
      ".mcp.json": JSON.stringify({
        mcpServers: {
          empty: {},
          list: [],
          text: "x",
          number: { command: 5 },
          args: { command: "x", args: "y" },
          other: { type: "pigeon", url: "https://x" },
          nourl: { type: "http" },
          good: { command: "x", env: { PORT: 8080, DEBUG: true } },
          __proto__x: { url: "https://x", headers: { A: "b" } },
        },
      }),
    });
    expect(problems.map((problem) => problem.replace(`${path}: server `, ""))).toEqual([
      '"empty" is left out: it needs a "command" or a "url".',
      '"list" is left out: root: Invalid input: expected object, received array',
      '"text" is left out: root: Invalid input: expected object, received string',
      '"number" is left out: command: Invalid input: expected string, received number',
      '"args" is left out: args: Invalid input: expected array, received string',
      '"other" is left out: its type "pigeon" isn\'t supported; use "stdio", "http", or "sse".',
      '"nourl" is left out: url: Invalid input: expected string, received undefined',
    ]);
    expect(entries.map(({ name, config }) => ({ name, config }))).toEqual([
      { name: "good", config: { kind: "stdio", command: "x", args: [], env: { PORT: "8080", DEBUG: "true" } } },
      { name: "__proto__x", config: { kind: "http", url: "https://x", headers: { A: "b" } } },
    ]);
  });

  it("that are broken are reported, and the others still count", () => {
    const { entries, problems } = read({
      ".tiller/mcp.json": "{ oops",
      ".mcp.json": "[]",
      "agent/mcp.json": `{"mcpServers": {"a": {"command": "x"}}}`,
    });
    expect(problems).toEqual([
      expect.stringContaining(`${join(folder, ".tiller", "mcp.json")} is skipped because it isn't valid JSON`),
      `${join(folder, ".mcp.json")} is skipped: root: Invalid input: expected object, received array`,
    ]);
    expect(entries).toHaveLength(1);
  });
});

describe("variables in an entry", () => {
  /* biome-ignore-start lint/suspicious/noTemplateCurlyInString: entries hold variables */
  const values = { env: { HOST: "h", EMPTY: "" }, cwd: "/work/app", inputs: new Map([["key", "k${HOST}"]]) };
  const expand = (text: string) => {
    const config: ServerConfig = { kind: "http", url: text, headers: {} };
    const expanded = expandConfig(config, values);
    return expanded.kind === "http" ? expanded.url : "";
  };

  it("are replaced everywhere", () => {
    const config: ServerConfig = {
      kind: "stdio",
      command: "${HOST}/bin",
      args: ["--at=${workspaceFolder}"],
      env: { A: "${env:HOST}" },
      cwd: "${workspaceFolder}/x",
      envFile: "${workspaceFolder}/.env",
    };
    expect(expandConfig(config, values)).toEqual({
      kind: "stdio",
      command: "h/bin",
      args: ["--at=/work/app"],
      env: { A: "h" },
      cwd: "/work/app/x",
      envFile: "/work/app/.env",
    });
  });

  it("can have a default, which also replaces an empty value", () => {
    expect(expand("${HOST:-x}|${NONE:-y}|${EMPTY:-z}|${NONE:-}")).toBe("h|y|z|");
  });

  it("are not replaced again in their own values", () => {
    expect(expand("${input:key}")).toBe("k${HOST}");
  });

  it("that are not set or unknown are named", () => {
    expect(() => expand("${NONE}")).toThrow("the environment variable NONE isn't set.");
    expect(() => expand("${command:x}")).toThrow("${command:x} isn't a known variable.");
    expect(() => expand("${input:other}")).toThrow("${input:other} isn't one of the file's \"inputs\".");
    expect(expand("${env:NONE}")).toBe("");
  });

  it("name each requested input once", () => {
    const config: ServerConfig = { kind: "http", url: "${input:b}", headers: { A: "${input:a} ${input:b}" } };
    expect(inputIds(config)).toEqual(["b", "a"]);
  });
  /* biome-ignore-end lint/suspicious/noTemplateCurlyInString: entries hold variables */
});
