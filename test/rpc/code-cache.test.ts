import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BUILT_AGENT } from "../support/spawn-agent.ts";

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "tiller-code-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function start(...args: string[]) {
  const { stdout, stderr, status } = spawnSync(process.execPath, [BUILT_AGENT, ...args], {
    encoding: "utf8",
    input: '{"type":"get_state","id":"1"}\n',
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, USERPROFILE: home, ANTHROPIC_API_KEY: "test-key" },
  });
  return { isAnswered: stdout.includes('"command":"get_state","success":true'), stderr, status };
}

/** The files of the cache, the largest first. */
function kept(): string[] {
  const folder = join(home, ".cache", "tiller", "compiled");
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));
  return paths.filter((path) => statSync(path).isFile()).sort((a, b) => statSync(b).size - statSync(a).size);
}

const RPC = ["--mode", "rpc", "--no-session"];

describe("the code that a start compiles", () => {
  it("is kept for the next start, which writes nothing", () => {
    expect(start(...RPC)).toEqual({ isAnswered: true, stderr: "", status: 0 });
    const first = kept();
    const times = first.map((path) => statSync(path).mtimeMs);
    expect(statSync(first[0] ?? "").size).toBeGreaterThan(300_000);
    expect(start(...RPC)).toEqual({ isAnswered: true, stderr: "", status: 0 });
    expect(kept()).toEqual(first);
    expect(first.map((path) => statSync(path).mtimeMs)).toEqual(times);
  });

  it("is not kept of a call that only informs", () => {
    expect(start("--version").status).toBe(0);
    expect(readdirSync(home)).toEqual([]);
  });

  it("is compiled again when its file cannot be used", () => {
    start(...RPC);
    const [largest = ""] = kept();
    writeFileSync(largest, readFileSync(largest).subarray(0, 100_000));
    expect(start(...RPC)).toEqual({ isAnswered: true, stderr: "", status: 0 });
    expect(statSync(largest).size).toBeGreaterThan(300_000);
  });

  it("does not stop a start when it cannot be kept", () => {
    writeFileSync(join(home, ".cache"), "");
    expect(start(...RPC)).toEqual({ isAnswered: true, stderr: "", status: 0 });
  });

  it("is removed after 30 days", () => {
    start(...RPC);
    const [largest = "", ...others] = kept();
    const then = new Date(Date.now() - 31 * 24 * 60 * 60 * 1000);
    for (const path of others) utimesSync(path, then, then);
    rmSync(largest);
    start(...RPC);
    expect(kept()).toEqual([largest]);
  });
});
