import { mkdir, open, readFile, rename, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { LoggedDecision } from "../../protocol/approvals.ts";
import { errorMessage } from "../../protocol/errors.ts";
import { isSystemError } from "../../util/paths.ts";

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
/** The size from which a file counts as full: there are two, the current and the one before. */
const MAX_BYTES = 1_000_000;
/** Lines that wait for a slow disk; more are dropped. */
const MAX_WAITING = 1000;

interface DecisionLogOptions {
  path: string;
  /** Tells the user that the log can't be written, once. */
  warn(message: string): void;
  maxBytes?: number;
}

/** The log of decisions about calls: a file of JSON lines that other agents use, too. Writing it holds up no call and fails none. */
export class DecisionLog {
  readonly #options: DecisionLogOptions;
  #waiting: string[] = [];
  #writing: Promise<void> | undefined;
  #isFailureTold = false;

  constructor(options: DecisionLogOptions) {
    this.#options = options;
  }

  add(decision: LoggedDecision): void {
    if (this.#waiting.length >= MAX_WAITING) return;
    this.#waiting.push(`${JSON.stringify(decision)}\n`);
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
  }

  /** Resolves when everything is written, or has failed to be. */
  async close(): Promise<void> {
    await this.#writing;
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const lines = this.#waiting.splice(0);
      await this.#append(lines.join("")).catch((error: unknown) => this.#tell(error));
    }
  }

  async #append(text: string): Promise<void> {
    const { path, maxBytes = MAX_BYTES } = this.#options;
    await mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE });
    const size = await stat(path).then(
      (stats) => stats.size,
      () => 0,
    );
    if (size >= maxBytes) await rename(path, olderPath(path)).catch(unlessGone); // another agent has just done it
    const file = await open(path, "a", FILE_MODE);
    try {
      await file.chmod(FILE_MODE);
      await file.appendFile(text);
    } finally {
      await file.close();
    }
  }

  #tell(error: unknown): void {
    if (this.#isFailureTold) return;
    this.#isFailureTold = true;
    this.#options.warn(`The log of approvals can't be written: ${errorMessage(error)}`);
  }
}

/** Returns the decisions in a log, the newest first. Lines that are none are left out. @throws Error when it can't be read. */
export async function readDecisions(path: string, limit: number): Promise<LoggedDecision[]> {
  const found: LoggedDecision[] = [];
  for (const one of [path, olderPath(path)]) {
    const lines = (await textOf(one)).split("\n");
    while (lines.length > 0 && found.length < limit) {
      const decision = parsed(lines.pop() ?? "");
      if (decision !== undefined) found.push(decision);
    }
  }
  return found;
}

function unlessGone(error: unknown): void {
  if (!isSystemError(error) || error.code !== "ENOENT") throw error;
}

function olderPath(path: string): string {
  return `${path}.1`;
}

async function textOf(path: string): Promise<string> {
  return readFile(path, "utf8").catch((error: unknown) => {
    if (isSystemError(error) && error.code === "ENOENT") return "";
    throw new Error(`${path} can't be read: ${errorMessage(error)}`, { cause: error });
  });
}

function parsed(line: string): LoggedDecision | undefined {
  if (line === "") return undefined;
  try {
    return LoggedDecision.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined; // another program, or a full disk, cut it
  }
}
