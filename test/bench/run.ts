// Measures the built agent against programs that do the least for the same thing. It prints each row as soon as it is measured.
// A row over its budget does not fail it; a bench that could not be measured does.
//   node test/bench/run.ts [start] [stream] [size] [--json FILE]
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { benches } from "./benches.ts";
import { formatRow, type JudgedRow, judge, TABLE_HEADER } from "./report.ts";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { json: { type: "string" } } });
const names = positionals.length > 0 ? positionals : Object.keys(benches);
const unknown = names.filter((name) => !Object.hasOwn(benches, name));
if (unknown.length > 0) {
  console.error(`There is no bench "${unknown.join('", "')}". There are: ${Object.keys(benches).join(", ")}`);
  process.exit(1);
}
const rows: JudgedRow[] = [];
const failed: string[] = [];

console.log(TABLE_HEADER);
for (const name of names) {
  console.error(`${name} …`);
  const agentDir = await mkdtemp(join(tmpdir(), "tiller-bench-"));
  try {
    for await (const row of benches[name]?.(agentDir) ?? []) {
      const judged = judge(row);
      rows.push(judged);
      console.log(formatRow(judged));
    }
  } catch (error) {
    failed.push(name);
    console.error(`${name} could not be measured:`, error);
  }
  await rm(agentDir, { recursive: true, force: true, maxRetries: 3 });
  if (values.json !== undefined) {
    await writeFile(values.json, `${JSON.stringify({ node: process.version, rows }, null, 2)}\n`);
  }
}

const over = rows.filter(({ verdict }) => verdict === "over").length;
console.log(`${over} of ${rows.filter(({ verdict }) => verdict !== "–").length} rows are over their budgets.`);
if (failed.length > 0) console.error(`Could not be measured: ${failed.join(", ")}.`);
process.exit(failed.length > 0 ? 1 : 0); // A bench that failed may have left something open.
