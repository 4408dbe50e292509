import { mkdir, open, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import * as z from "zod";
import { ApprovalRule } from "../../protocol/approvals.ts";
import { errorMessage } from "../../protocol/errors.ts";
import { crypto } from "../../util/late-node.ts";
import { isSystemError } from "../../util/paths.ts";

const VERSION = 1;
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
const LOCK_PATIENCE_MS = 3000;
const LOCK_RETRY_MS = 20;
/** A change takes milliseconds; a lock that is older was left behind. */
const STALE_LOCK_MS = 10_000;

const StoredRule = ApprovalRule.unwrap()
  .extend({ scope: z.enum(["workspace", "always"]) })
  .refine(({ scope, workspace }) => (scope === "workspace") === (workspace !== undefined), {
    message: "a workspace rule must name its workspace, and other rules must not",
  });
const RuleFileContent = z.object({ version: z.literal(VERSION), rules: z.array(StoredRule) });

/**
 * The rules that outlive a session. Several agents may use the file at once: each change applies to its content at that
 * moment.
 */
export class RuleFile {
  readonly path: string;
  #rules: ApprovalRule[] = [];
  /** Changes when the file does. */
  #stamp = "";

  constructor(path: string) {
    this.path = path;
  }

  /**
   * Returns the rules that are on disk now.
   * @throws Error that says what is wrong with the file.
   */
  async read(): Promise<readonly ApprovalRule[]> {
    const stamp = await stampOf(this.path);
    if (stamp === this.#stamp) return this.#rules;
    this.#rules = stamp === "" ? [] : parseRules(await this.#text(), this.path);
    this.#stamp = stamp;
    return this.#rules;
  }

  /**
   * Replaces the rules with the result of `change`. Doesn't change a file that can't be read.
   * @throws Error that says what is wrong with the file, or of the file system.
   */
  async change(change: (rules: readonly ApprovalRule[]) => readonly ApprovalRule[]): Promise<void> {
    await mkdir(dirname(this.path), { recursive: true, mode: FOLDER_MODE });
    const release = await takeLock(`${this.path}.lock`);
    try {
      this.#stamp = "unknown"; // a change by another agent may leave size and time as they were
      const rules = await this.read();
      const changed = [...change(rules)];
      await write(this.path, `${JSON.stringify({ version: VERSION, rules: changed }, null, 2)}\n`);
    } finally {
      await release();
    }
  }

  async #text(): Promise<string> {
    return readFile(this.path, "utf8").catch((error: unknown) => {
      throw unreadable(this.path, errorMessage(error), error);
    });
  }
}

function parseRules(text: string, path: string): ApprovalRule[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw unreadable(path, errorMessage(error), error);
  }
  const parsed = RuleFileContent.safeParse(value);
  if (parsed.success) return parsed.data.rules;
  const [issue] = parsed.error.issues;
  throw unreadable(path, `${issue?.path.join(".") || "the file"}: ${issue?.message}`, parsed.error);
}

function unreadable(path: string, reason: string, cause: unknown): Error {
  return new Error(`The approval rules in ${path} can't be read (${reason}). Repair or remove the file.`, { cause });
}

async function stampOf(path: string): Promise<string> {
  const stats = await stat(path, { bigint: true }).catch((error: unknown) => {
    if (isSystemError(error) && error.code === "ENOENT") return undefined;
    throw error;
  });
  return stats === undefined ? "" : `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`;
}

async function write(path: string, content: string): Promise<void> {
  const temporary = `${path}.${crypto().randomBytes(6).toString("hex")}.tmp`;
  try {
    const file = await open(temporary, "wx", FILE_MODE);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function takeLock(path: string): Promise<() => Promise<void>> {
  for (const end = performance.now() + LOCK_PATIENCE_MS; ; await delay(LOCK_RETRY_MS)) {
    try {
      await (await open(path, "wx", FILE_MODE)).close();
      return () => rm(path, { force: true });
    } catch (error) {
      if (!isSystemError(error) || error.code !== "EEXIST") throw error;
      const stats = await stat(path).catch(() => undefined);
      if (stats !== undefined && Date.now() - stats.mtimeMs > STALE_LOCK_MS) await rm(path, { force: true });
      else if (performance.now() > end) {
        throw new Error(`Another agent is writing the approval rules. If none is, remove ${path}.`, { cause: error });
      }
    }
  }
}
