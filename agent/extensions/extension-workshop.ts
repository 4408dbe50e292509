import { errorMessage } from "../protocol/errors.ts";
import type { AnyTool } from "../tools/tool.ts";
import { noLaterThan } from "../util/no-later-than.ts";
import type { ExtensionAPI } from "./api.ts";
import type { ExtensionContext } from "./api-context.ts";
import { createContext } from "./context.ts";
import { createApi } from "./create-api.ts";
import { EventBus } from "./event-bus.ts";
import type { ExtensionFailure } from "./extension-failure.ts";
import { extensionTool } from "./extension-tool.ts";
import type { ExtensionWork } from "./extension-work.ts";
import { guardHost } from "./guarded-host.ts";
import type { ExtensionHost } from "./host.ts";
import type { McpRegistrations } from "./mcp-registrations.ts";
import { createModelRegistryView } from "./providers/model-registry-view.ts";
import { ProviderSlot } from "./providers/provider-slot.ts";
import { VirtualModelSlot } from "./providers/virtual-model-slot.ts";
import { type Extension, extensionName, type RegisteredTool } from "./registrations.ts";

/** Hosts wait half a minute for an agent that starts. */
const FACTORY_LIMIT_MS = 10_000;

/** Options shared by all extensions of a process. */
export interface RunnerOptions {
  cwd: string;
  /** Options of the command line that are not ours, by name. */
  flags: ReadonlyMap<string, string | undefined>;
  sendsTitle: boolean;
  report(failure: ExtensionFailure): void;
  warn(message: string): void;
}

/** The default export of an extension's module. */
export type Factory = (api: ExtensionAPI) => unknown;

/** The objects that an extension works on once it is active. */
interface Surroundings {
  agent: ExtensionHost;
  /** The same, until the extension's end. */
  host: ExtensionHost;
  context: ExtensionContext;
}

/** Creates the API, the view of the agent, and the context of each extension. */
export class ExtensionWorkshop {
  readonly #options: RunnerOptions;
  readonly #work: ExtensionWork;
  readonly #surroundings = new WeakMap<Extension, Surroundings>();
  readonly #tools: OfferedTools;
  readonly #bus: EventBus;
  readonly #mcp: McpRegistrations;
  /** The providers and models of extensions. */
  readonly providers: ProviderSlot;
  readonly #virtualModels: VirtualModelSlot;
  /** Undefined until the session is there. */
  host: ExtensionHost | undefined;

  constructor(options: RunnerOptions, work: ExtensionWork, mcp: McpRegistrations) {
    this.#mcp = mcp;
    this.#options = options;
    this.#work = work;
    this.providers = new ProviderSlot(options.report);
    this.#virtualModels = new VirtualModelSlot(this.providers, (extension, signal, route, request) =>
      work.runAs(signal, () => route(request, this.surround(extension).context)),
    );
    this.#tools = new OfferedTools(options.warn);
    this.#bus = new EventBus((channel, error) => options.report({ extensionPath: "<events>", event: channel, error }));
  }

  /**
   * Runs an extension's function.
   * @throws whatever the function throws; the extension has ended then.
   */
  async load(extension: Extension, factory: Factory): Promise<Extension> {
    const { life } = extension;
    const api = createApi({
      extension,
      cwd: this.#options.cwd,
      bus: this.#bus,
      addTool: (tool) => this.#addTool(extension, tool),
      flags: this.#options.flags,
      providers: this.providers,
      virtualModels: this.#virtualModels,
      mcp: this.#mcp,
      host: () => this.#hostFor(extension),
      act: (event, work) => this.#act(extension, event, work),
    });
    try {
      const tooLate = () => new Error("its function was not done within 10 seconds");
      await noLaterThan((async () => factory(api))(), FACTORY_LIMIT_MS, tooLate);
    } catch (error) {
      life.end();
      throw error;
    }
    return extension;
  }

  /** Adds a tool at once, or as soon as the extension may act; a problem with it is then reported. */
  #addTool(extension: Extension, definition: RegisteredTool): void {
    const { warn, report } = this.#options;
    const { life, path, scope } = extension;
    life.requireAlive();
    const tool = extensionTool({
      tool: definition,
      extension: scope === "bundled" ? undefined : extensionName(path),
      runAs: (signal, work) => this.#work.runAs(signal, work),
      context: () => this.surround(extension).context,
      warn,
      loadoutFailed: (error) => report({ extensionPath: path, event: "prepare_loadout", error: errorMessage(error) }),
    });
    const offer = () =>
      this.#tools.offer(extension, tool, definition.defaultActive !== false, this.surround(extension).agent);
    if (life.isActive) offer();
    else {
      life.whenActive(() => {
        try {
          offer();
        } catch (error) {
          report({ extensionPath: path, event: "load", error: errorMessage(error) });
        }
      });
    }
  }

  #hostFor(extension: Extension): ExtensionHost {
    extension.life.requireActive();
    return this.surround(extension).host;
  }

  surround(extension: Extension): Surroundings {
    const known = this.#surroundings.get(extension);
    if (known !== undefined) return known;
    const agent = this.host;
    if (agent === undefined) throw new Error("The agent is not there yet."); // `bind` comes before everything that acts
    const host = guardHost(agent, extension.life);
    const context = createContext({
      host,
      models: createModelRegistryView(this.providers, this.#virtualModels, extension),
      cwd: this.#options.cwd,
      extensionName: extensionName(extension.path),
      sendsTitle: this.#options.sendsTitle,
      workSignal: () => this.#work.signal,
      warn: this.#options.warn,
    });
    const surroundings = { agent, host, context };
    this.#surroundings.set(extension, surroundings);
    return surroundings;
  }

  /** Runs work that an author doesn't wait for. */
  #act(extension: Extension, event: string, work: () => Promise<unknown>): void {
    this.#hostFor(extension);
    const done = this.#work.outside(async () => work());
    done.catch((error: unknown) =>
      this.#options.report({ extensionPath: "<runtime>", event, error: errorMessage(error) }),
    );
  }
}

/** The tools that extensions brought. The first extension that brings a name keeps it, and may bring it again. */
class OfferedTools {
  readonly #offers = new Map<string, { extension: Extension; end(): void }>();
  readonly #warn: (message: string) => void;

  constructor(warn: (message: string) => void) {
    this.#warn = warn;
  }

  /**
   * Adds a tool until the extension's end.
   * @param isActive true if the tool is active by default.
   * @throws Error when the host has a tool of that name.
   */
  offer(extension: Extension, tool: AnyTool, isActive: boolean, host: ExtensionHost): void {
    const { name } = tool;
    const earlier = this.#offers.get(name);
    if (earlier !== undefined && earlier.extension !== extension) {
      const { path } = earlier.extension;
      this.#warn(`The tool "${name}" of ${extension.path} is left out: ${path} has one of the same name.`);
      return;
    }
    host.addTool(tool, isActive);
    const end = extension.life.atEnd(() => {
      if (this.#offers.get(name) === offer) this.#offers.delete(name);
      host.removeTool(tool);
    });
    const offer = { extension, end };
    this.#offers.set(name, offer);
    earlier?.end(); // nothing of a tool that was replaced is kept
  }
}
