import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { requireRoom } from "./room.mjs";

/** Compilers and make take these in a path as they are; a space they would not. */
const PLAIN_PATH = /^[\p{L}\p{M}\p{N}/._+@-]+$/u;

/**
 * Makes a folder whole or not at all: `work` fills one beside it, which is moved into place at the end. What is there by now, and what
 * killed runs have left, is removed first. Where the path is one that builds cannot deal with, the folder is filled elsewhere.
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
    // A run that was killed just before this one began may have taken a while to end.
    removeLeftOvers(place);
  }
}

/** The name says who fills the folder. */
function makeOwn(place) {
  const own = mkdtempSync(join(place, `tiller-building.${hostname()}.${process.pid}.`));
  chmodSync(own, 0o755);
  return own;
}

/** A rename is at once, but only within a file system. Who was quicker with the same has made the same. */
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
      // Of another user, whose next run removes it.
    }
  }
}

/** A killed process that nobody has buried yet is there, but does not run. Only Linux has what is made here. */
function isRunning(pid) {
  try {
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  } catch {
    return false;
  }
}
