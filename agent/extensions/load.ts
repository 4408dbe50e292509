import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { createJiti } from "jiti";
import { errorMessage } from "../protocol/errors.ts";
import { noLaterThan } from "../util/no-later-than.ts";
import { toSlashes } from "../util/paths.ts";
import { compatibleModules } from "./compat/modules.ts";
import type { ExtensionFile } from "./discover.ts";
import { readProvider } from "./providers/read-provider.ts";
import { ExtensionFunction } from "./registrations.ts";
import type { ExtensionRunner } from "./runner.ts";

/** Hosts wait half a minute for an agent that starts. */
const LOAD_LIMIT_MS = 10_000;
/** UTF-16 units that are shown of a thrown value that is no Error. */
const MAX_SHOWN = 200;
const tooLate = () => new Error("its code was not done within 10 seconds");

/** An extension that could not be loaded. */
export interface LoadFailure extends ExtensionFile {
  message: string;
  /** Its code is there and ran, and threw. */
  hasThrown: boolean;
}

/** Loads modules one after the other and runs their functions. A module that fails takes no other with it. */
export async function loadExtensions(
  files: readonly ExtensionFile[],
  runner: ExtensionRunner,
  agentDir: string,
): Promise<LoadFailure[]> {
  const modules = compatibleModules({
    agentDir,
    modelCalls: async () => (await import("./compat/ai.ts")).modelCallModule(runner.providers),
  });
  runner.providers.useReader(readProvider);
  const jiti = createJiti(import.meta.url, {
    // In a folder of the user's own: the shared temporary folder would let others leave code there.
    fsCache: join(homedir(), ".cache", "tiller", "extensions"),
    moduleCache: false,
    interopDefault: false,
    virtualModules: modules.byName,
  });
  const failures: LoadFailure[] = [];
  for (const file of files) {
    runner.expect(file.path);
    let hasThrown = false;
    try {
      checkFile(file.path);
      if (await callsRequire(file.path)) await modules.loadAll();
      const module = await noLaterThan(jiti.import(file.path), LOAD_LIMIT_MS, tooLate);
      const factory = defaultOf(module);
      if (factory === undefined) throw new Error(`Extension does not export a valid factory function: ${file.path}`);
      hasThrown = true;
      await runner.add(file, factory);
    } catch (error) {
      failures.push({ ...file, hasThrown, message: `Failed to load extension: ${describe(error, file.path)}` });
    }
  }
  return failures;
}

/** @throws Error that says why there is nothing to load: a device, for one, may have no end. */
function checkFile(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return; // the name may lack its ending; loading it tells
  if (stats.isDirectory()) throw new Error("there is no extension in this folder");
  if (!stats.isFile()) throw new Error("it isn't a file");
}

/** Returns the error that was thrown, with the first place in the extension's own file that its stack names. */
function describe(error: unknown, path: string): string {
  if (!(error instanceof Error)) {
    const shown = inspect(error, { depth: 1, breakLength: Number.POSITIVE_INFINITY, customInspect: false });
    return `it threw ${shown.slice(0, MAX_SHOWN)}`;
  }
  const stack = String(error.stack).split("\n");
  const place = stack.find((line) => line.trimStart().startsWith("at ") && toSlashes(line).includes(toSlashes(path)));
  const [message] = errorMessage(error).split("\nRequire stack:"); // which names files of ours
  return place === undefined ? String(message) : `${message} (${place.trim()})`;
}

/** True if the code may ask for a module in a way that cannot wait for it. */
async function callsRequire(path: string): Promise<boolean> {
  const text = await readFile(path, "utf8").catch(() => ""); // loading it tells what is wrong
  return /\brequire\s*\(/.test(text);
}

function defaultOf(module: unknown): ExtensionFunction | undefined {
  const own = ExtensionFunction.safeParse(module);
  if (own.success) return own.data;
  if (typeof module !== "object" || module === null) return undefined;
  const exported: unknown = Reflect.get(module, "default");
  const direct = ExtensionFunction.safeParse(exported);
  if (direct.success) return direct.data;
  // An older module has its function one level deeper.
  if (typeof exported !== "object" || exported === null) return undefined;
  return ExtensionFunction.safeParse(Reflect.get(exported, "default")).data;
}
