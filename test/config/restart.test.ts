import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { asRecord } from "../support/spawn-agent.ts";

const PROGRAM = fileURLToPath(new URL("../fixtures/agents/begins-anew.ts", import.meta.url));
const KEY = "s3cret=with\nlines and ümlauts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tiller-restart-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("a process that begins anew keeps its id, its streams, its arguments and the key, which the system no longer shows", async () => {
  const env = { PATH: process.env.PATH, TMPDIR: folder, SOME_KEY: KEY, OTHER: "o" };
  const child = spawn(process.execPath, [PROGRAM, "a b", "--c"], { env });
  child.stdin.end("a line of the host\n");
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const { shown, ...seen } = asRecord(JSON.parse(out || JSON.stringify(errors)));
  expect(seen).toEqual({
    pid: child.pid,
    args: ["a b", "--c"],
    handed: { SOME_KEY: KEY },
    other: "o",
    input: "a line of the host\n",
  });
  expect(shown).not.toContain("SOME_KEY");
  expect(shown).not.toContain("s3cret");
  expect(readdirSync(folder)).toEqual([]);
});
