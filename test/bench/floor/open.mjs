// The least that opening a session file can be: read it, parse its lines, answer one line.
import { readFileSync } from "node:fs";

const entries = readFileSync(process.argv[2], "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line));
process.stdin.once("data", () => {
  process.stdout.write(`{"type":"response","command":"get_state","data":{"entries":${entries.length}}}\n`);
});
