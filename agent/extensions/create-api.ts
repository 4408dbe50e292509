import type { ExtensionAPI } from "./api.ts";
import type { EventBus } from "./event-bus.ts";
import { exec } from "./exec.ts";
import {
  type Extension,
  ExtensionFunction,
  RegisteredCommand,
  RegisteredFlag,
  RegisteredTool,
  readRegistration,
} from "./registrations.ts";

/** What the API of one extension works on. */
export interface ApiParts {
  extension: Extension;
  cwd: string;
  bus: EventBus;
  addTool(tool: RegisteredTool): void;
  /** What the command line says. */
  flagValue(name: string): string | boolean | undefined;
}

/** Makes the object that the extension's function gets. */
export function createApi({ extension, cwd, bus, addTool, flagValue }: ApiParts): ExtensionAPI {
  return {
    on(event, handler) {
      const handlers = extension.handlers.get(event) ?? [];
      extension.handlers.set(event, [...handlers, readRegistration(ExtensionFunction, handler, `Handler of ${event}`)]);
    },
    registerTool: (tool) => addTool(readTool(tool)),
    registerCommand(name, command) {
      const read = readRegistration(RegisteredCommand, command, `Command "${name}"`);
      extension.commands.set(name, { ...read, handler: bind(command, read.handler) });
    },
    registerFlag(name, flag) {
      extension.flags.set(name, readRegistration(RegisteredFlag, flag, `Flag "${name}"`));
    },
    getFlag(name) {
      const flag = extension.flags.get(name);
      return flag === undefined ? undefined : (flagValue(name) ?? flag.default);
    },
    registerShortcut: () => undefined,
    registerMessageRenderer: () => undefined,
    exec: (command, args, options = {}) => exec(command, args, { ...options, cwd: options.cwd ?? cwd }),
    events: {
      emit: (channel, data) => bus.emit(channel, data),
      on: (channel, listener) => bus.on(channel, listener),
    },
  };
}

function readTool(tool: unknown): RegisteredTool {
  const read = readRegistration(RegisteredTool, tool, "Tool");
  return {
    ...read,
    execute: bind(tool, read.execute),
    prepareArguments: read.prepareArguments && bind(tool, read.prepareArguments),
  };
}

/** Keeps `this` for authors who write tools and commands as classes. */
function bind(owner: unknown, method: ExtensionFunction): ExtensionFunction {
  return (...args) => method.apply(owner, args);
}
