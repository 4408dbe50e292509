import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { encodeVariables } from "../protocol/handover.ts";
import { hasOwnNode } from "../util/own-program.ts";

/** Holds variables that only the file that it names makes readable: `<hexadecimal digits>:<path>`. */
export const MASKED = "TILLER_MASKED";

/**
 * Begins this process anew, with its id and its streams, and with `env` as the environment that the system shows. The new process finds the
 * hidden variables with `readMasked`. Only Node from 22.15 on can do that, and not on Windows; elsewhere this returns.
 */
export function restartWith(hidden: Readonly<Record<string, string>>, env: NodeJS.ProcessEnv): void {
  const { execve } = process;
  if (execve === undefined || process.versions.electron !== undefined) return;
  const masked = maskVariables(hidden);
  if (masked === undefined) return;
  // A program with its own Node has no script among its arguments.
  const args = [process.argv0, ...process.execArgv, ...process.argv.slice(hasOwnNode() ? 2 : 1)];
  execve.call(process, process.execPath, args, { ...env, [MASKED]: masked });
}

/** Reads what `restartWith` kept, and removes its file. */
export function readMasked(masked: string): string {
  const colon = masked.indexOf(":");
  const path = masked.slice(colon + 1);
  const text = combine(Buffer.from(masked.slice(0, colon), "hex"), readFileSync(path));
  rmSync(dirname(path), { recursive: true });
  return text.toString();
}

/** The file holds noise alone, so that no key lies on a disk, also when nobody comes to read it. */
function maskVariables(variables: Record<string, string>): string | undefined {
  const secret = Buffer.from(encodeVariables(variables));
  const mask = process.getBuiltinModule("node:crypto").randomBytes(secret.length);
  try {
    const path = join(mkdtempSync(join(tmpdir(), "tiller-")), "mask");
    writeFileSync(path, mask, { mode: 0o600 });
    return `${combine(secret, mask).toString("hex")}:${path}`;
  } catch {
    return undefined; // no place for a file: the process goes on as it is
  }
}

function combine(text: Buffer, mask: Buffer): Buffer {
  return Buffer.from(text.map((byte, index) => byte ^ (mask[index] ?? 0)));
}
