import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../../../..");

/** Code that reaches a network: modules of Node, functions of a browser, elements that fetch by themselves. */
const MODULES =
  /from\s+"(?:node:)?(?:https?|http2|net|tls|dgram|dns(?:\/promises)?|undici|ws|axios|got)"|(?:import|require)\(\s*"(?:node:)?(?:https?|http2|net|tls|dgram|dns|undici)"/;
const CALLS =
  /\bfetch\s*\(|\bXMLHttpRequest\b|\bWebSocket\b|\bEventSource\b|\bWebTransport\b|\bRTCPeerConnection\b|\bsendBeacon\b|\bimportScripts\b/;
const TELEMETRY = /createTelemetryLogger|TelemetryReporter|applicationinsights|\btrackEvent\b/i;

/** The only files that may, and what for. */
const ALLOWED: Readonly<Record<string, string>> = {
  "extension/core/setup/server-models.ts":
    "asks a server that the user is setting up for its models, and a selected one for an answer",
  "extension/features/models/key-check.ts": "asks a provider whether it takes a key that the user has just typed",
};

function sources(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:ts|js|mjs|cjs)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1));
}

/** A source without its comments, which may name what is not called. */
function code(file: string): string {
  return readFileSync(join(ROOT, file), "utf8")
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/(?<![:"'`\\])\/\/.*$/gm, "");
}

describe("network use of extension and page", () => {
  const files = [
    ...sources("extension"),
    ...sources("webview"),
    ...sources("agent/client"),
    ...sources("agent/protocol"),
  ];

  test("is checked in files that exist", () => {
    expect(files.length).toBeGreaterThan(150);
  });

  test("does not exist, except where it is named", () => {
    const callers = files.filter((file) => MODULES.test(code(file)) || CALLS.test(code(file)));
    expect(callers).toEqual(Object.keys(ALLOWED));
  });

  test("includes no telemetry, as the README says", () => {
    expect(files.filter((file) => TELEMETRY.test(code(file)))).toEqual([]);
    expect(readFileSync(join(ROOT, "README.md"), "utf8")).toContain("there is no telemetry");
  });
});
