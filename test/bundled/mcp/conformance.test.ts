import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const SUITE = fileURLToPath(
  new URL("../../../node_modules/@modelcontextprotocol/conformance/dist/index.js", import.meta.url),
);
const CLIENT = fileURLToPath(new URL("../../support/conformance-client.ts", import.meta.url));
const RESULT = /^([✓✗]) (\S+): (.*)$/gm;

/** A suite runs all its scenarios at once, and every one starts an agent. */
const LIMIT_MS = 180_000;

/** Runs the official suite of the MCP project against the built agent. @returns its output. */
function conformance(...args: string[]): Promise<{ hasPassed: boolean; output: string }> {
  const command = `${process.execPath} ${CLIENT}`;
  const options = ["client", "--command", command, "--timeout", "120000", "--verbose", ...args];
  return new Promise((resolve) => {
    execFile(process.execPath, [SUITE, ...options], { maxBuffer: 50_000_000 }, (error, stdout, stderr) => {
      resolve({ hasPassed: error === null, output: `${stdout}\n${stderr}` });
    });
  });
}

// The suite "core" would run them beside all others, but sse-retry measures time.
it.each(["initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry"])(
  "passes the scenario %s of the MCP conformance suite",
  async (scenario) => {
    const { hasPassed, output } = await conformance("--scenario", scenario);
    expect(hasPassed, output).toBe(true);
  },
  LIMIT_MS,
);

it.each([
  ["auth", 14],
  ["backcompat", 2],
  ["draft", 3],
  ["extensions", 3],
])(
  "passes all scenarios of the MCP conformance suite's part %s",
  async (suite, count) => {
    const { output } = await conformance("--suite", suite);
    const results = [...output.matchAll(RESULT)].map(([, mark = "", name = ""]) => `${mark} ${name}`);
    expect(results, output).toHaveLength(count);
    expect(
      results.filter((result) => !result.startsWith("✓")),
      output,
    ).toEqual([]);
  },
  LIMIT_MS,
);
