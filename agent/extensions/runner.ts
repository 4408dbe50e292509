import { errorMessage } from "../protocol/errors.ts";
import { unlessAborted } from "../util/unless-aborted.ts";
import { commandIn, type ExtensionCommand, listCommands } from "./all-commands.ts";
import type { ExtensionAPI } from "./api.ts";
import type { ExtensionContext } from "./api-context.ts";
import { createContext } from "./context.ts";
import { createApi } from "./create-api.ts";
import type { ExtensionFile } from "./discover.ts";
import { EventBus } from "./event-bus.ts";
import type { ExtensionEvents } from "./extension-events.ts";
import type { ExtensionFailure } from "./extension-failure.ts";
import { extensionTool } from "./extension-tool.ts";
import { ExtensionWork } from "./extension-work.ts";
import type { ExtensionHost } from "./host.ts";
import {
  type Extension,
  type ExtensionFunction,
  extensionName,
  newExtension,
  type RegisteredTool,
} from "./registrations.ts";

interface RunnerOptions {
  cwd: string;
  /** Options of the command line that are not ours, by name. */
  flags: ReadonlyMap<string, string | undefined>;
  sendsTitle: boolean;
  report(failure: ExtensionFailure): void;
  warn(message: string): void;
}

/** Whose handlers: those of the agent's own extensions, those that somebody installed, or both, the agent's own last. */
export type Handlers = "bundled" | "installed" | "all";

interface AskOptions {
  /** Aborting it ends the handlers' dialogs and releases whoever waits for a handler that hangs. */
  signal?: AbortSignal | undefined;
  /** Releases whoever waits, and leaves the dialogs alone. */
  release?: AbortSignal | undefined;
  isStrict?: boolean;
  /** Whose handlers are called; all by default. */
  of?: Handlers;
}

/** A command that a prompt named. */
export interface FoundCommand {
  name: string;
  /** Settles when the handler has; what it throws is reported. */
  run(): Promise<void>;
}

type Factory = (api: ExtensionAPI) => unknown;

/** How long a handler may take that is called after an abort. */
const ABORTED_GRACE_MS = 1000;

/** Runs the code of extensions: in order, one handler after the other, and so that a failure stays with the one who failed. */
export class ExtensionRunner {
  readonly #options: RunnerOptions;
  #installed: Extension[] = [];
  readonly #bundled: Extension[] = [];
  readonly #contexts = new WeakMap<Extension, ExtensionContext>();
  readonly #bus: EventBus;
  readonly #work = new ExtensionWork();
  #host: ExtensionHost | undefined;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#bus = new EventBus((channel, error) => options.report({ extensionPath: "<events>", event: channel, error }));
  }

  /**
   * Runs an extension's function. What it registered is there only when it went well.
   * @throws whatever the function throws.
   */
  async add({ path, scope }: ExtensionFile, factory: Factory): Promise<void> {
    this.#installed.push(await this.#load(newExtension(path, scope), factory));
  }

  /**
   * Adds a part of the agent that is written as an extension. It has no file, counts as none, and outlives a reload; its handlers come last.
   * @throws whatever the function throws.
   */
  async addBundled(name: string, factory: Factory): Promise<void> {
    const extension = await this.#load(newExtension(`<${name}>`, "bundled"), factory);
    this.#bundled.push(extension);
    if (this.#host !== undefined) extension.life.activate();
  }

  /** From here on extensions can act. Tools that cannot be added are reported. */
  bind(host: ExtensionHost): void {
    this.#host = host;
    for (const { life } of this.#all()) life.activate();
  }

  /** Whether an extension registered this option of the command line. */
  claimsFlag(name: string): boolean {
    return this.#all().some(({ flags }) => flags.has(name));
  }

  /** All commands, in load order. */
  commands(): ExtensionCommand[] {
    return listCommands(this.#all());
  }

  /** The command that a text names, if it does. */
  findCommand(text: string): FoundCommand | undefined {
    const named = commandIn(text, this.#all());
    if (named === undefined) return undefined;
    const { found, args } = named;
    const where = { extensionPath: `command:${found.plainName}`, event: "command" };
    return {
      name: found.plainName,
      run: () => this.#guard(where, () => found.command.handler(args, this.#context(found.extension))),
    };
  }

  /** Whether nothing is installed. */
  get isEmpty(): boolean {
    return this.#installed.length === 0;
  }

  /** Whether somebody wants this event. */
  handles(event: string, of: Handlers = "all"): boolean {
    return this.#all(of).some(({ handlers }) => handlers.has(event));
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
    const { signal, release, isStrict, of = "all" } = options;
    const signals = [signal, release].filter((one) => one !== undefined);
    const end = signals.length === 0 ? undefined : AbortSignal.any(signals);
    for (const { extension, handler } of this.#handlers(event.type, of)) {
      const where = { extensionPath: extension.path, event: event.type };
      const result = this.#work
        .runAs(signal, () => handler(event, this.#context(extension)))
        .catch((error: unknown) => {
          this.#options.report({ ...where, error: errorMessage(error) });
          if (isStrict) throw error;
        });
      if (take(await unlessAborted(result, end, ABORTED_GRACE_MS))) return;
    }
  }

  /** Reports an error that nobody waited for, such as one of a timer. @returns false when it is not an extension's. */
  takeStray(error: unknown): boolean {
    const stack = error instanceof Error ? (error.stack ?? "") : "";
    const culprit = this.#installed.find(({ path }) => stack.includes(path));
    if (culprit !== undefined) {
      this.#options.report({ extensionPath: culprit.path, event: "uncaught", error: errorMessage(error) });
    }
    return culprit !== undefined;
  }

  /** Whether the caller is code of an extension, or was called by it. */
  get isInside(): boolean {
    return this.#work.isInside;
  }

  /** Aborts when the user aborts: nobody waits any more for a handler that hangs. */
  get released(): AbortSignal {
    return this.#work.released;
  }

  /** The user aborts. */
  release(): void {
    this.#work.release();
  }

  /** The host is gone: nobody waits for handlers that still run. */
  close(): void {
    this.#work.close();
  }

  /** Resolves when the host is gone. */
  get closed(): Promise<void> {
    return this.#work.closed;
  }

  #all(of: Handlers = "all"): readonly Extension[] {
    if (of === "bundled") return this.#bundled;
    if (of === "installed" || this.#bundled.length === 0) return this.#installed;
    return [...this.#installed, ...this.#bundled];
  }

  async #load(extension: Extension, factory: Factory): Promise<Extension> {
    const { life } = extension;
    try {
      await factory(
        createApi({
          extension,
          cwd: this.#options.cwd,
          bus: this.#bus,
          addTool: (tool) => this.#addTool(extension, tool),
          flags: this.#options.flags,
          host: () => this.#hostFor(extension),
          act: (event, work) => this.#act(extension, event, work),
        }),
      );
    } catch (error) {
      life.end();
      throw error;
    }
    return extension;
  }

  #handlers(event: string, of: Handlers): { extension: Extension; handler: ExtensionFunction }[] {
    return this.#all(of).flatMap((extension) =>
      (extension.handlers.get(event) ?? []).map((handler) => ({ extension, handler })),
    );
  }

  /** Does what an author does not wait for. */
  #act(extension: Extension, event: string, work: () => Promise<unknown>): void {
    this.#hostFor(extension);
    const done = this.#work.outside(async () => work());
    done.catch((error: unknown) =>
      this.#options.report({ extensionPath: "<runtime>", event, error: errorMessage(error) }),
    );
  }

  async #guard(where: Omit<ExtensionFailure, "error">, work: () => unknown): Promise<void> {
    try {
      await this.#work.runAs(undefined, work);
    } catch (error) {
      this.#options.report({ ...where, error: errorMessage(error) });
    }
  }

  /** Adds a tool at once, or as soon as the extension may act; what is wrong with it is then reported. */
  #addTool(extension: Extension, definition: RegisteredTool): void {
    const { warn, report } = this.#options;
    const tool = extensionTool({
      tool: definition,
      runAs: (signal, work) => this.#work.runAs(signal, work),
      context: () => this.#context(extension),
      warn,
    });
    const add = () => this.#hostFor(extension).addTool(tool, definition.defaultActive !== false);
    if (extension.life.isActive) {
      add();
      return;
    }
    extension.life.whenActive(() => {
      try {
        add();
      } catch (error) {
        report({ extensionPath: extension.path, event: "load", error: errorMessage(error) });
      }
    });
  }

  #hostFor({ life }: Extension): ExtensionHost {
    life.requireActive();
    if (this.#host === undefined) throw new Error("The host is not there yet."); // bind() activates
    return this.#host;
  }

  #context(extension: Extension): ExtensionContext {
    const known = this.#contexts.get(extension);
    if (known !== undefined) return known;
    const context = createContext({
      host: this.#hostFor(extension),
      cwd: this.#options.cwd,
      extensionName: extensionName(extension.path),
      sendsTitle: this.#options.sendsTitle,
      workSignal: () => this.#work.signal,
      warn: this.#options.warn,
    });
    this.#contexts.set(extension, context);
    return context;
  }
}
