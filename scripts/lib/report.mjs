const HEARTBEAT_MS = 10_000;

/** A failure that needs no stack: the message says what to do. */
export class ExpectedError extends Error {
  isExpected = true;
}

/** Advice for system errors, by code. */
const ADVICE = {
  ENOSPC: "The disk is full. Free about 2 GB, then run the same command again.",
  EACCES: "Give the folder to your user (chown), or use a copy of your own.",
  EPERM: "Give the folder to your user (chown), or use a copy of your own.",
  EROFS: "This file system is read-only. Use a copy elsewhere.",
};

/** Returns the text of an error for the user, never with a stack trace. An unexpected error says where it comes from. */
export function messageOf(error) {
  const message = error?.message ?? String(error);
  if (error?.isExpected) return message;
  if (error?.syscall) return [message, ADVICE[error.code] ?? []].flat().join("\n");
  const place = /\bscripts\/[\w./-]+:\d+/.exec(error?.stack ?? "")?.[0];
  return place ? `${message} (${place})` : message;
}

/** Prints a line about what goes on. */
export function note(text) {
  console.log(`  ${text}`);
}

/** Prints a line about what went wrong. */
export function fail(text) {
  console.error(`✗ ${text}`);
}

/** `4.2 s`, or `3 min 5 s`. */
export function duration(ms) {
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

/** Runs `work` between two printed lines, with a sign of life each ten seconds. */
export async function step(title, work) {
  const startedAt = Date.now();
  console.log(`▸ ${title}`);
  const heartbeat = setInterval(() => note(`… ${title}: ${duration(Date.now() - startedAt)}`), HEARTBEAT_MS);
  try {
    const result = await work();
    console.log(`✓ ${title} (${duration(Date.now() - startedAt)})`);
    return result;
  } finally {
    clearInterval(heartbeat);
  }
}
