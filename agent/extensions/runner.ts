import { splitAttached } from "../protocol/attached.ts";
import { errorMessage } from "../protocol/errors.ts";
import { RateLimit } from "../util/rate-limit.ts";
import { unlessAborted } from "../util/unless-aborted.ts";
import { commandIn, type ExtensionCommand, listCommands } from "./all-commands.ts";
import { culpritOf } from "./culprit.ts";
import type { ExtensionFile } from "./discover.ts";
import type { ExtensionEvents } from "./extension-events.ts";
import type { ExtensionFailure } from "./extension-failure.ts";
import { ExtensionList, type HandlersOf } from "./extension-list.ts";
import { ExtensionWork } from "./extension-work.ts";
import { ExtensionWorkshop, type Factory, type RunnerOptions } from "./extension-workshop.ts";
import type { ExtensionHost } from "./host.ts";
import { McpRegistrations } from "./mcp-registrations.ts";
import type { ProviderSlot } from "./providers/provider-slot.ts";
import { newExtension } from "./registrations.ts";
import type { HostUi } from "./ui.ts";
import { watchPrompts } from "./ui-prompts.ts";

interface AskOptions {
  /** Aborting it ends the handlers' dialogs and releases whoever waits for a handler that hangs. */
  signal?: AbortSignal | undefined;
  /** Releases whoever waits, and leaves the dialogs alone. */
  release?: AbortSignal | undefined;
  isStrict?: boolean;
  /** The extensions whose handlers are called; default: all. */
  of?: HandlersOf;
  /** The second argument of handlers before the agent exists; by default the context of their extension. */
  context?: object;
}

/** A command that a prompt named. */
export interface FoundCommand {
  name: string;
  /** Settles when the handler has; what it throws is reported. */
  run(): Promise<void>;
}

/** More errors of timers than this are not told. */
const MAX_STRAYS_A_SECOND = 20;
/** The time limit of a handler that is called after an abort. */
const ABORTED_GRACE_MS = 1000;

/** Runs the code of extensions: in order, one handler after the other, and so that a failure stays with the one who failed. */
export class ExtensionRunner {
  readonly #options: RunnerOptions;
  readonly #list = new ExtensionList();
  readonly #work = new ExtensionWork();
  readonly #workshop: ExtensionWorkshop;
  /** A timer may fail for ever. */
  readonly #strays = new RateLimit(MAX_STRAYS_A_SECOND);

  constructor(options: RunnerOptions) {
    this.#options = options;
    const mcp = new McpRegistrations({
      report: options.report,
      isUsed: () => this.handles("mcp_servers_change"),
      tell: (servers) => void this.#work.outside(() => this.#tellLater({ type: "mcp_servers_change", servers })),
    });
    this.#workshop = new ExtensionWorkshop(options, this.#work, mcp);
  }

  /** The providers and models of extensions. */
  get providers(): ProviderSlot {
    return this.#workshop.providers;
  }

  /** Keeps the path of what is about to be loaded: its code may fail before it is there. */
  expect(path: string): void {
    this.#list.expect(path);
  }

  /**
   * Runs an extension's function, whose path is expected. What it registered is there only when it went well.
   * @throws whatever the function throws.
   */
  async add({ path, scope }: ExtensionFile, factory: Factory): Promise<void> {
    this.#list.add(await this.#workshop.load(newExtension(path, scope), factory));
  }

  /**
   * Adds a part of the agent that is written as an extension. It has no file, counts as none, and outlives a reload; its handlers come last.
   * @param changesCalls true if it is asked about a call together with installed extensions, after them, and may change it.
   * @throws whatever the function throws.
   */
  async addBundled(name: string, factory: Factory, changesCalls = false): Promise<void> {
    const extension = await this.#workshop.load(newExtension(`<${name}>`, "bundled"), factory);
    this.#list.add(extension, changesCalls);
    if (this.#workshop.host !== undefined) extension.life.activate();
  }

  /** Puts what is installed into the order of these paths. */
  arrange(paths: readonly string[]): void {
    this.#list.arrange(paths);
  }

  /** The host's interface for code of the agent itself; undefined until `bind`. Extensions hear of its questions. */
  get ui(): HostUi | undefined {
    return this.#workshop.host?.ui;
  }

  /** From here on extensions can act. Tools that cannot be added are reported. */
  bind(host: ExtensionHost): void {
    const ui = watchPrompts(host.ui, (event) => void this.ask(event, () => false));
    this.#workshop.host = { ...host, ui };
    this.activate();
  }

  /** Activates the extensions that were added since `bind`. */
  activate(): void {
    for (const { life } of this.#list.of()) life.activate();
  }

  /** Takes back what installed extensions registered and showed. They are asked until `takeOver`, while others are loaded. */
  leave(): void {
    for (const { life } of this.#list.standBy()) life.leave();
  }

  /**
   * Activates the extensions that were added since `leave`; the others end.
   * @param letsFinish whether what runs of those now, such as the command that goes elsewhere, may act until it is over.
   */
  takeOver({ letsFinish }: { letsFinish: boolean }): void {
    const left = this.#list.takeOver();
    const end = () => {
      for (const { life } of left) life.end();
    };
    if (letsFinish) this.#work.afterPresent(end);
    else end();
    this.activate();
  }

  /** True if an extension registered this option of the command line. */
  claimsFlag(name: string): boolean {
    return this.#list.of().some(({ flags }) => flags.has(name));
  }

  /** All commands, in load order. */
  commands(): ExtensionCommand[] {
    return listCommands(this.#list.of());
  }

  /** The command that a text names, if it does. */
  findCommand(text: string): FoundCommand | undefined {
    const named = commandIn(splitAttached(text).text, this.#list.of());
    if (named === undefined) return undefined;
    const { found, args } = named;
    const where = { extensionPath: `command:${found.plainName}`, event: "command" };
    return {
      name: found.plainName,
      run: () =>
        this.#guard(where, async () => {
          const { agent, context } = this.#workshop.surround(found.extension);
          await agent.refreshCommands(); // an author who asks for them cannot wait
          await found.command.handler(args, context);
        }),
    };
  }

  /** True if nothing is installed. */
  get isEmpty(): boolean {
    return this.#list.isEmpty;
  }

  /** True if any extension handles this event. */
  handles(event: string, of?: HandlersOf): boolean {
    return this.#list.of(of).some(({ handlers }) => handlers.has(event));
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
  async ask(
    event: { type: string },
    take: (result: unknown, extensionPath: string) => boolean,
    options: AskOptions = {},
  ): Promise<void> {
    const { signal, release, isStrict, of, context } = options;
    const signals = [signal, release].filter((one) => one !== undefined);
    const end = signals.length === 0 ? undefined : AbortSignal.any(signals);
    for (const { extension, handler } of this.#list.handlers(event.type, of)) {
      if (!this.#list.has(extension)) continue; // a handler before this one went to another session
      const run = () => handler(event, context ?? this.#workshop.surround(extension).context);
      const result = this.call(extension.path, event.type, run, signal).catch((error: unknown) => {
        if (isStrict) throw error;
      });
      if (take(await unlessAborted(result, end, ABORTED_GRACE_MS), extension.path)) return;
    }
  }

  /**
   * Runs code that an extension handed over.
   * @throws what it throws, after that was reported.
   */
  async call<T>(extensionPath: string, event: string, run: () => T, signal?: AbortSignal): Promise<Awaited<T>> {
    try {
      return await this.#work.runAs(signal, run);
    } catch (error) {
      this.#options.report({ extensionPath, event, error: errorMessage(error) });
      throw error;
    }
  }

  /** Tells hosts and people what an extension did wrong. */
  report(failure: ExtensionFailure): void {
    this.#options.report(failure);
  }

  /** Reports an error to whoever its stack names. */
  blame(event: string, error: Error): void {
    const extensionPath = culpritOf(error, this.#list.paths) ?? "<extensions>";
    this.#options.report({ extensionPath, event, error: errorMessage(error) });
  }

  /** Reports an error that nobody waited for, such as one of a timer. @returns false when it is not an extension's. */
  takeStray(error: unknown): boolean {
    const extensionPath = culpritOf(error, this.#list.paths);
    if (extensionPath === undefined) return false;
    if (this.#strays.take()) this.#options.report({ extensionPath, event: "uncaught", error: errorMessage(error) });
    return true;
  }

  /** True if the caller is code of an extension, or was called by it. */
  get isInside(): boolean {
    return this.#work.isInside;
  }

  /** True if the caller is code of an extension, and not of a command. */
  get isInHandler(): boolean {
    return this.#work.isInside && !this.#work.isInCommand;
  }

  /** Aborts when the user aborts, so that a hanging handler no longer blocks the agent. */
  get released(): AbortSignal {
    return this.#work.released;
  }

  /** The user aborts. */
  release(): void {
    this.#work.release();
  }

  /** Called when the host has disconnected: running handlers are no longer awaited. */
  close(): void {
    this.#work.close();
  }

  /** Resolves when the host is gone. */
  get closed(): Promise<void> {
    return this.#work.closed;
  }

  /** Sends the event to all handlers after the current code has finished. */
  async #tellLater(event: ExtensionEvents["mcp_servers_change"]): Promise<void> {
    await Promise.resolve();
    await this.notify(event);
  }

  async #guard(where: Omit<ExtensionFailure, "error">, work: () => unknown): Promise<void> {
    try {
      await this.#work.runCommand(work);
    } catch (error) {
      this.#options.report({ ...where, error: errorMessage(error) });
    }
  }
}
