import { APP_NAME } from "../../protocol/envelope.ts";

/** A module as an extension gets it: exported values by name. */
export type ModuleValues = Record<string, unknown>;

/** What the modules are made from. */
export interface CompatParts {
  agentDir: string;
  /** Names of pi-ai that call models or bring some; they come on top of the helpers. */
  modelCalls(): Promise<ModuleValues>;
}

/** Modules by the name that an extension imports. */
export interface CompatibleModules {
  /** For the loader: each value is the module, or the promise of one that nobody has imported yet. */
  readonly byName: ModuleValues;
  /** Loads all, for code that cannot wait for a module because it calls `require`. */
  loadAll(): Promise<void>;
}

/** A module that is loaded when it is first asked for. */
interface LazyModule {
  /** The module once it is there, else the promise of it. */
  get(): ModuleValues | Promise<ModuleValues>;
}

const SCOPES = ["@earendil-works", "@mariozechner"];
const AI_PATHS = ["", "/compat", "/oauth", "/providers/all"];
const TYPEBOX_NAMES = ["typebox", "@sinclair/typebox"];

/** The modules that extensions find under the package names they know, whatever is installed. None is loaded before it is imported. */
export function compatibleModules({ agentDir, modelCalls }: CompatParts): CompatibleModules {
  const modules = new Map<string, LazyModule>();
  const agent = lazy(async () => (await import("./agent.ts")).agentModule(agentDir));
  const core = lazy(async () => (await import("./agent-core.ts")).agentCoreModule);
  const terminal = lazy(async () => (await import("./terminal.ts")).terminalModule);
  const ai = lazy(async () => ({ ...(await import("./model-helpers.ts")).modelHelpers, ...(await modelCalls()) }));
  modules.set(
    `${APP_NAME}/extension`,
    lazy(() => import("../author.ts")),
  );
  for (const scope of SCOPES) {
    modules.set(`${scope}/pi-coding-agent`, agent);
    modules.set(`${scope}/pi-agent-core`, core);
    modules.set(`${scope}/pi-tui`, terminal);
    for (const path of AI_PATHS) modules.set(`${scope}/pi-ai${path}`, ai);
  }
  const types = lazy(() => import("typebox"));
  const values = lazy(() => import("typebox/value"));
  const compiler = lazy(async () => {
    const module = await import("typebox/compile");
    return { ...module, TypeCompiler: { Compile: module.Compile } }; // what it was called up to 0.34
  });
  for (const name of TYPEBOX_NAMES) {
    modules.set(name, types).set(`${name}/type`, types).set(`${name}/value`, values);
    modules.set(`${name}/compile`, compiler).set(`${name}/compiler`, compiler);
  }
  return {
    byName: valuesByName(modules),
    async loadAll() {
      await Promise.all([...modules.values()].map((module) => module.get()));
    },
  };
}

function lazy(load: () => Promise<ModuleValues>): LazyModule {
  let loading: Promise<ModuleValues> | undefined;
  let loaded: ModuleValues | undefined;
  return {
    get() {
      loading ??= load().then((module) => {
        loaded = module;
        return module;
      });
      return loaded ?? loading;
    },
  };
}

function valuesByName(modules: ReadonlyMap<string, LazyModule>): ModuleValues {
  const properties = [...modules].map(([name, module]) => [name, { enumerable: true, get: () => module.get() }]);
  return Object.defineProperties({}, Object.fromEntries(properties));
}
