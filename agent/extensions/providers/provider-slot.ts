import { errorMessage } from "../../protocol/errors.ts";
import type { ProviderAddition } from "../../providers/added-providers.ts";
import type { Provider } from "../../providers/provider.ts";
import type { ModelRegistry } from "../../providers/registry.ts";
import { withTimeLimit } from "../../util/with-time-limit.ts";
import type { ExtensionFailure } from "../extension-failure.ts";
import type { Extension } from "../registrations.ts";

const REFRESH_LIMIT_MS = 30_000;

/** A provider as an extension registered it, read. */
export interface ReadRegistration {
  name: string;
  addition: ProviderAddition;
  /** The registered fields, to which a later registration of the same name can add. */
  given: Record<string, unknown>;
  /** The provider itself, when it was given as an object. */
  native?: object;
  /** The problems of parts that were left out. */
  problems: string[];
  /** Asks the provider for its models again. */
  refresh?(context: object): Promise<ReadRegistration>;
}

/** Reads the arguments of `registerProvider`. @throws Error that describes the problem. */
export type ReadProvider = (
  given: readonly unknown[],
  earlier: Record<string, unknown>,
  registry: ModelRegistry,
) => ReadRegistration;

interface Registered extends ReadRegistration {
  extension: Extension;
}

/**
 * Adds providers of extensions to the models. Providers that are registered while extensions load wait until the models
 * exist.
 */
export class ProviderSlot {
  readonly #report: (failure: ExtensionFailure) => void;
  readonly #registered = new Map<string, Registered>();
  #waiting: (() => void)[] = [];
  #read: ReadProvider | undefined;
  #registry: ModelRegistry | undefined;

  constructor(report: (failure: ExtensionFailure) => void) {
    this.#report = report;
  }

  /** Says how registrations are read; that code is loaded together with the first extension. */
  useReader(read: ReadProvider): void {
    this.#read = read;
  }

  /** True if an extension is loaded, which may change providers and ask for their models. */
  get isInUse(): boolean {
    return this.#read !== undefined;
  }

  /** Called when the models exist: registers the waiting providers, and reports their problems. */
  bind(registry: ModelRegistry): void {
    this.#registry = registry;
    for (const work of this.#waiting.splice(0)) work();
  }

  /** True if the models are there. */
  get isBound(): boolean {
    return this.#registry !== undefined;
  }

  /** @throws Error while extensions are being loaded. */
  models(): ModelRegistry {
    if (this.#registry === undefined) throw new Error("Models are not there yet while extensions are being loaded.");
    return this.#registry;
  }

  /** The providers that extensions brought or changed. */
  names(): string[] {
    return [...this.#registered.keys()];
  }

  /** Returns the registration under this name, as it was given. */
  given(name: string): Pick<ReadRegistration, "given" | "native"> | undefined {
    return this.#registered.get(name);
  }

  /** @throws Error that describes the problem, unless the provider has to wait. */
  register(extension: Extension, given: readonly unknown[]): void {
    extension.life.atEnd(() => this.#removeAllOf(extension));
    this.whenBound(extension, "register_provider", (registry) => this.#add(extension, given, registry));
  }

  /** Removes the provider of this name, and restores the one that it replaced. */
  unregister(extension: Extension, name: string): void {
    this.whenBound(extension, "register_provider", (registry) => {
      this.#registered.delete(name);
      registry.removeProvider(name);
    });
  }

  /**
   * Does something with the models: at once, or as soon as they exist, if the extension is still there by then.
   * @throws what the work throws, unless it has to wait: then that is reported.
   */
  whenBound(extension: Extension, event: string, work: (registry: ModelRegistry) => void): void {
    if (this.#registry !== undefined) {
      work(this.#registry);
      return;
    }
    let isOver = false;
    extension.life.atEnd(() => {
      isOver = true;
    });
    this.#waiting.push(() => {
      if (isOver) return;
      try {
        work(this.models());
      } catch (error) {
        this.#tell(extension, error, event);
      }
    });
  }

  /** Adds a provider for all models of its api. */
  addApi(provider: Provider): void {
    if (this.#registry !== undefined) this.#registry.addApi(provider);
    else this.#waiting.unshift(() => this.models().addApi(provider));
  }

  /** Requests the models of providers that can list them. @returns the errors, by provider. */
  async refresh(signal?: AbortSignal): Promise<Map<string, Error>> {
    const failures = new Map<string, Error>();
    await Promise.all(
      [...this.#registered.values()].map(async (registered) => {
        try {
          await this.#refreshOne(registered, signal);
        } catch (error) {
          failures.set(registered.name, error instanceof Error ? error : new Error(errorMessage(error)));
        }
      }),
    );
    return failures;
  }

  #add(extension: Extension, given: readonly unknown[], registry: ModelRegistry): void {
    if (this.#read === undefined) throw new Error("Providers cannot be registered here.");
    const [name] = given;
    const earlier = typeof name === "string" ? this.#registered.get(name)?.given : undefined;
    const registered = { ...this.#read(given, earlier ?? {}, registry), extension };
    this.#set(registered, registry);
    void this.#refreshOne(registered).catch((error: unknown) => this.#tell(extension, error));
  }

  #set(registered: Registered, registry: ModelRegistry): void {
    const { name, addition, extension, problems } = registered;
    this.#registered.set(name, registered);
    registry.addProvider(name, addition);
    for (const problem of problems) this.#tell(extension, new Error(problem));
  }

  async #refreshOne({ name, extension, refresh }: Registered, signal?: AbortSignal): Promise<void> {
    if (refresh === undefined) return;
    const limit = withTimeLimit(signal, REFRESH_LIMIT_MS);
    const context = {
      allowNetwork: true,
      signal: limit.signal,
      publish: async ({ update }: { update?: () => void } = {}) => {
        update?.();
        return true;
      },
    };
    const read = await refresh(context).finally(limit.end);
    // Meanwhile, the provider may have been removed, or replaced under its name.
    if (this.#registered.get(name)?.extension !== extension) return;
    this.#set({ ...read, extension }, this.models());
  }

  #removeAllOf(extension: Extension): void {
    for (const [name, registered] of this.#registered) {
      if (registered.extension !== extension) continue;
      this.#registered.delete(name);
      this.models().removeProvider(name);
    }
  }

  #tell({ path }: Extension, error: unknown, event = "register_provider"): void {
    this.#report({ extensionPath: path, event, error: errorMessage(error) });
  }
}
