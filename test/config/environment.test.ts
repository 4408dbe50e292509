import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** Names as the code reads them: as a property, by a text in brackets, or by a constant. */
const READ =
  /\benv(?:\.([A-Z]\w+)|\["([^"]+)"\])|"((?:PI|TILLER|XCSH|ELECTRON)_[A-Z_]+|[A-Z_]+_(?:API_KEY|BASE_URL))"/g;
/** Variables that Node reads for us. */
const READ_BY_NODE = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"];
/** Files that may read the environment of the process: it is read once, and the rest is for child processes. */
const MAY_LOOK = [
  "agent/cli.ts",
  "agent/main.ts",
  "agent/one-file.ts",
  /^agent\/config\//,
  /^agent\/client\//, // a program of its own, of any host
  "agent/rpc/editor/host-terminal.ts",
  "agent/tools/bash.ts",
  "agent/tools/grep.ts",
  "agent/extensions/compat/agent.ts",
  "agent/extensions/compat/command-operations.ts",
  "agent/prompt/git-facts.ts",
];

const sources = globSync("agent/**/*.ts", { cwd: ROOT }).map((path) => ({
  path: path.replaceAll("\\", "/"),
  code: readFileSync(`${ROOT}/${path}`, "utf8"),
}));

/** The names in the first column of the table of a section. */
function documented(): string[] {
  const page = readFileSync(`${ROOT}/docs/settings.md`, "utf8");
  const section = page.split("\n## Environment variables\n")[1]?.split("\n## ")[0] ?? "";
  const rows = section.split("\n").filter((line) => line.startsWith("| `"));
  return rows.flatMap((row) => [...(row.split(" | ")[0] ?? "").matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name));
}

describe("environment variables", () => {
  it("are all in docs/settings.md, and no others are", () => {
    const agent = sources.filter(({ path }) => !path.startsWith("agent/client/"));
    const read = agent.flatMap(({ code }) =>
      [...code.matchAll(READ)].map(([, ...names]) => names.find((name) => name !== undefined) ?? ""),
    );
    expect([...new Set(documented())].sort()).toEqual([...new Set([...read, ...READ_BY_NODE])].sort());
  });

  it("are read where the process begins, and where child processes get theirs", () => {
    const looking = sources.filter(({ code }) => /\bprocess\.env\b/.test(code)).map(({ path }) => path);
    const others = looking.filter(
      (path) => !MAY_LOOK.some((place) => (typeof place === "string" ? place === path : place.test(path))),
    );
    expect(others).toEqual([]);
  });
});
