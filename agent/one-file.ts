// The beginning of the program that needs no Node. It holds the files of the agent and unpacks them once, into the user's cache.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { getAsset } from "node:sea";
import { settleHome } from "./config/home.ts";
import { errorMessage } from "./protocol/errors.ts";
import { RUN_CODE } from "./util/own-program.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** Files of a version that wasn't started for this long are deleted. */
const MAX_AGE_MS = 30 * DAY_MS;

/** The asset whose first line identifies the files of the agent, and whose other lines name them. */
const CONTENTS = "contents";

const [, , first, code] = process.argv;
if (first === RUN_CODE && code !== undefined) runCode(code);
else runAgent();

/** Runs what the agent started this program for. */
function runCode(text: string): void {
  new Function("require", text)(createRequire(process.execPath));
}

function runAgent(): void {
  if (!settleHome(process.env)) fail("This user has no home folder. Set HOME to a folder, and try again.");
  const file = join(unpacked(), "cli.js");
  process.argv[1] = file;
  createRequire(file)(file);
}

/** Returns the folder with the files of the agent. */
function unpacked(): string {
  const [id = "", ...files] = getAsset(CONTENTS, "utf8").split("\n");
  const place = join(homedir(), ".cache", "tiller", "programs");
  const folder = join(place, id);
  try {
    if (!existsSync(folder)) unpack(files, place, folder);
  } catch (error) {
    fail(
      `Tiller can't keep its files in ${place}: ${errorMessage(error)}. Set HOME to a folder that can be written, and try again.`,
    );
  }
  try {
    noteUse(place, folder);
  } catch {
    // The files are there; another process tidies up too, or the disk can't be written any more.
  }
  return folder;
}

/** The folder appears whole, or not at all. */
function unpack(files: readonly string[], place: string, folder: string): void {
  mkdirSync(place, { recursive: true });
  const building = mkdtempSync(join(place, "unpacking-"));
  try {
    for (const name of files) {
      const file = join(building, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, Buffer.from(getAsset(name)));
    }
    renameSync(building, folder);
  } catch (error) {
    rmSync(building, { recursive: true, force: true });
    if (!existsSync(folder)) throw error; // else another process was faster
  }
}

/** Marks the files as used, once a day, and then deletes those of versions that nobody uses. */
function noteUse(place: string, folder: string): void {
  const now = Date.now();
  if (now - statSync(folder).mtimeMs < DAY_MS) return;
  utimesSync(folder, new Date(now), new Date(now));
  for (const name of readdirSync(place)) {
    const other = join(place, name);
    if (now - statSync(other).mtimeMs > MAX_AGE_MS) rmSync(other, { recursive: true, force: true });
  }
}

function fail(message: string): never {
  console.error(`Error: ${message}`);
  process.exit(1);
}
