import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { requireRoom } from "./room.mjs";

/** Compilers and make accept paths of these characters; they don't accept a space. */
const PLAIN_PATH = /^[\p{L}\p{M}\p{N}/._+@-]+$/u;

/**
 * Makes a folder completely or not at all: `work` fills a folder beside it, which moves into place at the end. First removes what is there and
 * what killed runs have left. Fills the folder elsewhere if builds can't deal with its path.
 */
export async function makeAside(folder, neededMib, work) {
  const parent = dirname(folder);
  mkdirSync(parent, { recursive: true });
  rmSync(folder, { recursive: true, force: true });
  const place = [parent, tmpdir()].find((path) => PLAIN_PATH.test(path)) ?? "/tmp";
  removeLeftOvers(parent);
  removeLeftOvers(place);
  for (const disk of new Set([place, parent])) requireRoom(disk, neededMib, basename(folder));
  const building = makeOwn(place);
  try {
    await work(building);
    move(building, folder);
  } finally {
    rmSync(building, { recursive: true, force: true });
    // The processes of a run that was killed just before this one may have gone on for a while.
    removeLeftOvers(place);
  }
}

/** Makes a folder whose name says which process fills it. */
function makeOwn(place) {
  const own = mkdtempSync(join(place, `tiller-building.${hostname()}.${process.pid}.`));
  chmodSync(own, 0o755);
  return own;
}

/** Moves a folder. A rename is atomic, but works only within a file system. If another run was faster, its folder stays: it holds the same. */
function move(from, to) {
  try {
    renameSync(from, to);
  } catch (error) {
    if (error.code === "ENOTEMPTY" || error.code === "EEXIST") return;
    if (error.code !== "EXDEV") throw error;
    const near = makeOwn(dirname(to));
    try {
      cpSync(from, near, { recursive: true, verbatimSymlinks: true });
      move(near, to);
    } finally {
      rmSync(near, { recursive: true, force: true });
    }
  }
}

function removeLeftOvers(place) {
  const own = `tiller-building.${hostname()}.`;
  for (const name of readdirSync(place)) {
    if (!name.startsWith(own) || isRunning(Number(name.slice(own.length).split(".")[0]))) continue;
    try {
      rmSync(join(place, name), { recursive: true, force: true });
    } catch {
      // It belongs to another user, whose next run removes it.
    }
  }
}

/** True when a process runs; a zombie does not. Only Linux gets here. */
function isRunning(pid) {
  try {
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  } catch {
    return false;
  }
}
