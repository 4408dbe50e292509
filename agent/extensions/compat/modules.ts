import { APP_NAME } from "../../protocol/envelope.ts";

/** A module as an extension gets it: exported values by name. */
type ModuleValues = Record<string, unknown>;

/** The parts that the modules are built from. */
interface CompatParts {
  agentDir: string;
  /** Names of pi-ai that call models or bring some; they come on top of the helpers. */
  modelCalls(): Promise<ModuleValues>;
}

/** Modules by the name that an extension imports. */
interface CompatibleModules {
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

/** Packages of pi and of its forks. What lies below a package is taken for the package: its files are nothing that we have. */
const PI_PACKAGE =
  /^@(?:earendil-works|mariozechner|oh-my-pi|f5xc-salesdemos)\/(pi-coding-agent|xcsh|pi-agent-core|pi-ai|pi-tui)(?:\/|$)/;
const TYPEBOX = /^(?:@sinclair\/)?typebox(?:\/(type|value|compile|compiler))?$/;

/** The modules that extensions find under the package names they know, whatever is installed. None is loaded before it is imported. */
export function compatibleModules({ agentDir, modelCalls }: CompatParts): CompatibleModules {
  const agent = lazy(async () => (await import("./agent.ts")).agentModule(agentDir));
  const core = lazy(async () => (await import("./agent-core.ts")).agentCoreModule);
  const terminal = lazy(async () => (await import("./terminal.ts")).terminalModule);
  const ai = lazy(async () => ({ ...(await import("./model-helpers.ts")).modelHelpers, ...(await modelCalls()) }));
  const author = lazy(() => import("../author.ts"));
  const types = lazy(() => import("typebox"));
  const values = lazy(() => import("typebox/value"));
  const compiler = lazy(async () => {
    const module = await import("typebox/compile");
    return { ...module, TypeCompiler: { Compile: module.Compile } }; // what it was called up to 0.34
  });
  const ofPi: Record<string, LazyModule> = {
    "pi-coding-agent": agent,
    xcsh: agent,
    "pi-agent-core": core,
    "pi-ai": ai,
    "pi-tui": terminal,
  };
  const ofTypebox: Record<string, LazyModule> = { type: types, value: values, compile: compiler, compiler };
  const find = (name: string): LazyModule | undefined => {
    if (name === `${APP_NAME}/extension`) return author;
    const typebox = TYPEBOX.exec(name);
    if (typebox !== null) return ofTypebox[typebox[1] ?? "type"];
    return ofPi[PI_PACKAGE.exec(name)?.[1] ?? ""];
  };
  return {
    byName: new Proxy<ModuleValues>(
      {},
      {
        has: (_, name) => typeof name === "string" && find(name) !== undefined,
        get: (_, name) => (typeof name === "string" ? find(name)?.get() : undefined),
      },
    ),
    async loadAll() {
      const all = [author, ...Object.values(ofPi), ...Object.values(ofTypebox)];
      await Promise.all(all.map((module) => module.get()));
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
