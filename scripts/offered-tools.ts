// `npm run offered-tools`: writes into the manifest which editor tools other agents are offered, as the tools describe themselves.
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { offeredEntries } from "./offered-tools/offered-entries.ts";

const ROOT = join(import.meta.dirname, "..");
const LIST = /^ {4}"languageModelTools": \[[\s\S]*?^ {4}\]/m;
const file = join(ROOT, "package.json");

const entries = await offeredEntries();
const list = JSON.stringify(entries, null, 2).replaceAll("\n", "\n    ");
const manifest = await readFile(file, "utf8");
await writeFile(
  file,
  manifest.replace(LIST, () => `    "languageModelTools": ${list}`),
);
await promisify(execFile)("npx", ["biome", "format", "--write", file], { cwd: ROOT });
console.log(`${entries.length} tools are offered.`);
