import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { encodeVariables } from "../../agent/protocol/handover.ts";
import { asRecord } from "../support/spawn-agent.ts";

const PROGRAM = fileURLToPath(new URL("../fixtures/agents/begins-anew.ts", import.meta.url));
const KEY = "s3cret=with\nlines and ümlauts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tiller-restart-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("a restarted process keeps its id, streams, arguments and all keys, and the system shows no key", async () => {
  const names = { TILLER_PRIVATE_ENV: "SOME_KEY", TILLER_SECRETS_FD: "3" };
  const env = { PATH: process.env.PATH, TMPDIR: folder, SOME_KEY: KEY, OTHER: "o", ...names };
  const child = spawn(process.execPath, [PROGRAM, "a b", "--c"], { env, stdio: ["pipe", "pipe", "pipe", "pipe"] });
  const handover = child.stdio[3];
  if (!(handover instanceof Writable)) throw new Error("There is no pipe for the keys.");
  handover.end(encodeVariables({ HANDED_KEY: "by pipe" }));
  child.stdin.end("a line of the host\n");
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const { shown, ...seen } = asRecord(JSON.parse(out || JSON.stringify(errors)));
  expect(seen).toEqual({
    pid: child.pid,
    args: ["a b", "--c"],
    keys: { SOME_KEY: KEY, HANDED_KEY: "by pipe" },
    other: "o",
    left: [],
    input: "a line of the host\n",
  });
  for (const secret of ["s3cret", "by pipe"]) expect(shown).not.toContain(secret);
  expect(readdirSync(folder)).toEqual([]);
});
