import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import module, { createRequire } from "node:module";
import { basename, dirname, join, sep } from "node:path";
import { Script } from "node:vm";

/** By then the functions that a start calls have been compiled. */
const WRITE_AFTER_MS = 2000;

const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * Compiled code of the agent's own files, kept for the next start: compiling is the longest part of one. A cache that cannot be read or
 * written costs time and nothing else.
 */
export class CodeCache {
  readonly #folder: string;
  readonly #unwritten = new Map<string, Script>();

  /** @param folder made when it is needed. What was written there more than 30 days ago is removed. */
  constructor(folder: string) {
    this.#folder = join(folder, `${process.versions.v8}-${process.arch}`);
  }

  /** From here on Node loads the files in `folder` with their kept code. Their names have to change with their contents. */
  serve(folder: string): void {
    const { extensions } = createRequire(import.meta.url);
    const loadOther = extensions[".js"];
    extensions[".js"] = (target: NodeJS.Module, path: string) => {
      const text = path.startsWith(folder + sep) ? readFileSync(path, "utf8") : undefined;
      // Code that is compiled here cannot import what is named while it runs.
      if (text === undefined || /\bimport\(/.test(text)) loadOther(target, path);
      else this.#load(target, path, text);
    };
  }

  /** Writes what was compiled anew: in two seconds, and when the process ends. */
  keep(): void {
    setTimeout(() => this.#write(), WRITE_AFTER_MS).unref();
    process.on("exit", () => this.#write());
  }

  /** Does what Node does to load a CommonJS file. */
  #load(target: NodeJS.Module, path: string, text: string): void {
    const run: unknown = this.#compile(path, text).runInThisContext();
    if (typeof run !== "function") throw new Error(`${path} is not a module.`);
    run.call(target.exports, target.exports, createRequire(path), target, path, dirname(path));
  }

  #compile(path: string, text: string): Script {
    const cached = join(this.#folder, `${basename(path)}.bin`);
    const cachedData = readIfThere(cached);
    const script = new Script(module.wrap(text), { filename: path, ...(cachedData && { cachedData }) });
    if (script.cachedDataRejected !== false) this.#unwritten.set(cached, script);
    return script;
  }

  #write(): void {
    if (this.#unwritten.size === 0) return;
    try {
      mkdirSync(this.#folder, { recursive: true });
      removeOld(this.#folder);
      for (const [path, script] of this.#unwritten) writeWhole(path, script.createCachedData());
    } catch {
      // The next start compiles again.
    }
    this.#unwritten.clear();
  }
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

/** V8 does not notice a file that was written in part, so none is ever there under its name. */
function writeWhole(path: string, data: Buffer): void {
  const part = `${path}.${process.pid}`;
  try {
    writeFileSync(part, data, { mode: 0o600, flush: true });
    renameSync(part, path);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}

function removeOld(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (Date.now() - statSync(path).mtimeMs > KEPT_MS) rmSync(path, { force: true });
  }
}
