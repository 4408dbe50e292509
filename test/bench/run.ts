// Measures the built agent against programs that do the least for the same thing. It reports and never fails a build.
//   node test/bench/run.ts [start] [stream] [size] [--json FILE]
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { benches } from "./benches.ts";
import { formatTable, type JudgedRow, judge } from "./report.ts";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { json: { type: "string" } } });
const names = positionals.length > 0 ? positionals : Object.keys(benches);
const rows: JudgedRow[] = [];

for (const name of names) {
  const bench = benches[name];
  if (bench === undefined) {
    console.error(`There is no bench "${name}". There are: ${Object.keys(benches).join(", ")}`);
    continue;
  }
  console.error(`${name} …`);
  const agentDir = await mkdtemp(join(tmpdir(), "tiller-bench-"));
  try {
    rows.push(...(await bench(agentDir)).map(judge));
  } catch (error) {
    console.error(`${name} could not be measured:`, error);
  } finally {
    await rm(agentDir, { recursive: true, force: true });
  }
}

console.log(formatTable(rows));
if (values.json !== undefined) {
  await writeFile(values.json, `${JSON.stringify({ node: process.version, rows }, null, 2)}\n`);
}
