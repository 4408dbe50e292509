import { accessSync, constants, statfsSync } from "node:fs";
import { ExpectedError } from "./report.mjs";

const MIB = 1024 * 1024;

/** Fails if a folder is not writable, before the parts of a job fail in their own ways. */
export function requireWritable(folder) {
  try {
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw new ExpectedError(
      `Cannot write to ${folder} (${error.code}). Use a copy of your own, or give it to your user:\n  sudo chown -R "$(id -un)" '${folder}'`,
    );
  }
}

/** Fails if the disk of a folder has less free space than this. Programs that were unpacked only in part would crash without a reason. */
export function requireRoom(folder, neededMib, reason) {
  const { bavail, bsize } = statfsSync(folder);
  const freeMib = Math.floor((bavail * bsize) / MIB);
  if (freeMib >= neededMib) return;
  throw new ExpectedError(
    `The disk of ${folder} has ${freeMib} MiB free, and ${neededMib} are needed for ${reason}. Free some, then run the same command again. This shows what takes the room:\n  du -xh --max-depth=2 '${folder}' | sort -h | tail`,
  );
}
