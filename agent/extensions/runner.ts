import { AsyncLocalStorage } from "node:async_hooks";
import { errorMessage } from "../protocol/errors.ts";
import { deferred } from "../util/deferred.ts";
import { unlessAborted } from "../util/unless-aborted.ts";
import { allCommands } from "./all-commands.ts";
import type { ExtensionAPI } from "./api.ts";
import type { ExtensionContext } from "./api-context.ts";
import { createContext } from "./context.ts";
import { createApi } from "./create-api.ts";
import type { ExtensionFile, ExtensionScope } from "./discover.ts";
import { EventBus } from "./event-bus.ts";
import type { ExtensionEvents } from "./extension-events.ts";
import { extensionTool } from "./extension-tool.ts";
import type { ExtensionHost } from "./host.ts";
import {
  type Extension,
  type ExtensionFunction,
  extensionName,
  newExtension,
  type RegisteredTool,
} from "./registrations.ts";

/** What an extension did wrong, as hosts are told. */
export interface ExtensionFailure {
  extensionPath: string;
  event: string;
  error: string;
}

interface RunnerOptions {
  cwd: string;
  /** Options of the command line that are not ours, by name. */
  flags: ReadonlyMap<string, string | undefined>;
  sendsTitle: boolean;
  report(failure: ExtensionFailure): void;
  warn(message: string): void;
}

/** What code of an extension runs for; timers that it leaves behind belong to nothing once it is over. */
interface Work {
  signal: AbortSignal | undefined;
  isOver: boolean;
}

interface AskOptions {
  /** Aborting it ends the handlers' dialogs and releases whoever waits for a handler that hangs. */
  signal?: AbortSignal | undefined;
  /** Releases whoever waits, and leaves the dialogs alone. */
  release?: AbortSignal | undefined;
  isStrict?: boolean;
}

/** A command that a prompt named. */
export interface FoundCommand {
  name: string;
  /** Settles when the handler has; what it throws is reported. */
  run(): Promise<void>;
}

/** How long a handler may take that is called after an abort. */
const ABORTED_GRACE_MS = 1000;

const NOT_READY = "Extension runtime not initialized. Action methods cannot be called during extension loading.";

/** Runs the code of extensions: in order, one handler after the other, and so that a failure stays with the one who failed. */
export class ExtensionRunner {
  readonly #options: RunnerOptions;
  readonly #extensions: Extension[] = [];
  readonly #contexts = new Map<Extension, ExtensionContext>();
  readonly #bus: EventBus;
  /** The work that code of an extension belongs to. */
  readonly #work = new AsyncLocalStorage<Work>();
  readonly #closed = deferred<void>();
  #release = new AbortController();
  #earlyTools: (() => void)[] = [];
  #host: ExtensionHost | undefined;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#bus = new EventBus((channel, error) => options.report({ extensionPath: "<events>", event: channel, error }));
  }

  /**
   * Runs an extension's function. What it registered is there only when it went well.
   * @throws whatever the function throws.
   */
  async add({ path, scope }: ExtensionFile, factory: (api: ExtensionAPI) => unknown): Promise<void> {
    const extension = newExtension(path, scope);
    const early = this.#earlyTools.length;
    try {
      await factory(
        createApi({
          extension,
          cwd: this.#options.cwd,
          bus: this.#bus,
          addTool: (tool) => this.#addTool(extension, tool),
          flagValue: (name) => this.#flagValue(extension, name),
          host: () => this.#requireHost(),
          act: (event, work) => this.#act(event, work),
        }),
      );
    } catch (error) {
      this.#earlyTools.length = early;
      throw error;
    }
    this.#extensions.push(extension);
  }

  /** From here on extensions can act. Tools that cannot be added are reported. */
  bind(host: ExtensionHost): void {
    this.#host = host;
    for (const add of this.#earlyTools.splice(0)) add();
  }

  /** Whether an extension registered this option of the command line. */
  claimsFlag(name: string): boolean {
    return this.#extensions.some(({ flags }) => flags.has(name));
  }

  /** All commands, in load order. */
  commands(): { name: string; description: string | undefined; path: string; scope: ExtensionScope }[] {
    return allCommands(this.#extensions).map(({ name, extension: { path, scope }, command: { description } }) => {
      return { name, description, path, scope };
    });
  }

  /** The command that a text names, if it does. */
  findCommand(text: string): FoundCommand | undefined {
    if (!text.startsWith("/")) return undefined;
    const [word = ""] = text.slice(1).split(/\s/, 1);
    const commands = allCommands(this.#extensions);
    const found = commands.find(({ name }) => name === word) ?? commands.find(({ plainName }) => plainName === word);
    if (found === undefined) return undefined;
    const args = text.slice(word.length + 1).trim();
    const where = { extensionPath: `command:${found.plainName}`, event: "command" };
    return {
      name: found.plainName,
      run: () => this.#guard(where, () => found.command.handler(args, this.#context(found.extension))),
    };
  }

  /** Whether no extension is loaded. */
  get isEmpty(): boolean {
    return this.#extensions.length === 0;
  }

  /** Whether somebody wants this event. */
  handles(event: string): boolean {
    return this.#extensions.some(({ handlers }) => handlers.has(event));
  }

  /** Tells all handlers, one after the other; what one throws is reported. */
  async notify<Name extends keyof ExtensionEvents>(
    event: ExtensionEvents[Name] & { type: Name },
    signal?: AbortSignal,
  ): Promise<void> {
    await this.ask(event, () => false, { signal });
  }

  /**
   * Calls the handlers of an event, one after the other, until `take` is content with what one gave.
   * @throws what a handler throws, if it is strict; else that is reported and the next one is called.
   */
  async ask(event: { type: string }, take: (result: unknown) => boolean, options: AskOptions = {}): Promise<void> {
    const { signal, release, isStrict } = options;
    const signals = [signal, release].filter((one) => one !== undefined);
    const end = signals.length === 0 ? undefined : AbortSignal.any(signals);
    for (const { extension, handler } of this.#handlers(event.type)) {
      const where = { extensionPath: extension.path, event: event.type };
      const result = this.#runAs(signal, () => handler(event, this.#context(extension))).catch((error: unknown) => {
        this.#options.report({ ...where, error: errorMessage(error) });
        if (isStrict) throw error;
      });
      if (take(await unlessAborted(result, end, ABORTED_GRACE_MS))) return;
    }
  }

  /** Reports an error that nobody waited for, such as one of a timer. @returns false when it is not an extension's. */
  takeStray(error: unknown): boolean {
    const stack = error instanceof Error ? (error.stack ?? "") : "";
    const culprit = this.#extensions.find(({ path }) => stack.includes(path));
    if (culprit !== undefined) {
      this.#options.report({ extensionPath: culprit.path, event: "uncaught", error: errorMessage(error) });
    }
    return culprit !== undefined;
  }

  /** The host is gone: nobody waits for handlers that still run. */
  close(): void {
    this.#closed.resolve();
    this.release();
  }

  /** Aborts when the user aborts: nobody waits any more for a handler that hangs. */
  get released(): AbortSignal {
    return this.#release.signal;
  }

  /** The user aborts. */
  release(): void {
    this.#release.abort();
    this.#release = new AbortController();
  }

  /** Resolves when the host is gone. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  #handlers(event: string): { extension: Extension; handler: ExtensionFunction }[] {
    return this.#extensions.flatMap((extension) =>
      (extension.handlers.get(event) ?? []).map((handler) => ({ extension, handler })),
    );
  }

  /** Whether the caller is a handler, a command or a tool of an extension, or was called by one. */
  get isInside(): boolean {
    return this.#currentWork() !== undefined;
  }

  #currentWork(): Work | undefined {
    const work = this.#work.getStore();
    return work?.isOver === false ? work : undefined;
  }

  async #runAs<T>(signal: AbortSignal | undefined, call: () => T): Promise<Awaited<T>> {
    const work: Work = { signal, isOver: false };
    try {
      return await this.#work.run(work, call);
    } finally {
      work.isOver = true;
    }
  }

  /** Does what an author does not wait for. It is not part of the handler: a run that it starts is seen like any other. */
  #act(event: string, work: () => Promise<unknown>): void {
    this.#requireHost();
    const done = this.#work.exit(async () => work());
    done.catch((error: unknown) =>
      this.#options.report({ extensionPath: "<runtime>", event, error: errorMessage(error) }),
    );
  }

  async #guard(where: Omit<ExtensionFailure, "error">, work: () => unknown): Promise<void> {
    try {
      await this.#runAs(undefined, work);
    } catch (error) {
      this.#options.report({ ...where, error: errorMessage(error) });
    }
  }

  #addTool(extension: Extension, definition: RegisteredTool): void {
    const { warn, report } = this.#options;
    const tool = extensionTool({
      tool: definition,
      runAs: (signal, work) => this.#runAs(signal, work),
      context: () => this.#context(extension),
      warn,
    });
    const isActive = definition.defaultActive !== false;
    if (this.#host !== undefined) {
      this.#host.addTool(tool, isActive);
      return;
    }
    this.#earlyTools.push(() => {
      try {
        this.#requireHost().addTool(tool, isActive);
      } catch (error) {
        report({ extensionPath: extension.path, event: "load", error: errorMessage(error) });
      }
    });
  }

  #flagValue(extension: Extension, name: string): string | boolean | undefined {
    if (!this.#options.flags.has(name)) return undefined;
    const value = this.#options.flags.get(name);
    return extension.flags.get(name)?.type === "string" ? value : value !== "false";
  }

  #requireHost(): ExtensionHost {
    if (this.#host === undefined) throw new Error(NOT_READY);
    return this.#host;
  }

  #context(extension: Extension): ExtensionContext {
    const known = this.#contexts.get(extension);
    if (known !== undefined) return known;
    const context = createContext({
      host: this.#requireHost(),
      cwd: this.#options.cwd,
      extensionName: extensionName(extension.path),
      sendsTitle: this.#options.sendsTitle,
      workSignal: () => this.#currentWork()?.signal,
      warn: this.#options.warn,
    });
    this.#contexts.set(extension, context);
    return context;
  }
}
