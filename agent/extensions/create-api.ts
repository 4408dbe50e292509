import { ThinkingLevel } from "../protocol/model.ts";
import type { ExtensionAPI } from "./api.ts";
import type { EventBus } from "./event-bus.ts";
import { exec } from "./exec.ts";
import type { ExtensionHost } from "./host.ts";
import type { McpRegistrations } from "./mcp-registrations.ts";
import type { ProviderSlot } from "./providers/provider-slot.ts";
import type { VirtualModelSlot } from "./providers/virtual-model-slot.ts";
import {
  type Extension,
  ExtensionFunction,
  ExtensionMessage,
  RegisteredCommand,
  RegisteredFlag,
  RegisteredTool,
  readRegistration,
} from "./registrations.ts";
import { UserContent } from "./session-actions.ts";
import { toolInfo } from "./tool-info.ts";

/** The objects that the API of one extension works on. */
export interface ApiParts {
  extension: Extension;
  cwd: string;
  bus: EventBus;
  addTool(tool: RegisteredTool): void;
  /** Options of the command line that are not ours, by name. */
  flags: ReadonlyMap<string, string | undefined>;
  providers: ProviderSlot;
  virtualModels: VirtualModelSlot;
  mcp: McpRegistrations;
  /** @throws Error while extensions are being loaded. */
  host(): ExtensionHost;
  /** Reports errors of work that the author doesn't wait for. */
  act(event: string, work: () => Promise<unknown>): void;
}

/** Makes the object that the extension's function gets. */
export function createApi(parts: ApiParts): ExtensionAPI {
  const { extension, cwd, bus, addTool, flags, providers, virtualModels, mcp, host, act } = parts;
  const { life } = extension;
  return {
    on(event, handler) {
      life.requireAlive();
      const read = readRegistration(ExtensionFunction, handler, `Handler of ${event}`);
      const registered: ExtensionFunction = (...args) => read(...args); // the same function twice is two handlers
      extension.handlers.set(event, [...(extension.handlers.get(event) ?? []), registered]);
      return () => {
        const kept = (extension.handlers.get(event) ?? []).filter((one) => one !== registered);
        if (kept.length > 0) extension.handlers.set(event, kept);
        else extension.handlers.delete(event);
      };
    },
    registerTool: (tool) => addTool(readTool(tool)),
    registerCommand(name, command) {
      life.requireAlive();
      const read = readRegistration(RegisteredCommand, command, `Command "${name}"`);
      extension.commands.set(name, { ...read, handler: bind(command, read.handler) });
    },
    registerFlag(name, flag) {
      extension.flags.set(name, readRegistration(RegisteredFlag, flag, `Flag "${name}"`));
    },
    getFlag(name) {
      const flag = extension.flags.get(name);
      if (flag === undefined || !flags.has(name)) return flag?.default;
      const value = flags.get(name);
      return (flag.type === "string" ? value : value !== "false") ?? flag.default;
    },
    registerProvider(...given: unknown[]) {
      life.requireAlive();
      if (!life.hasLeft) providers.register(extension, given);
    },
    unregisterProvider(name) {
      life.requireAlive();
      if (!life.hasLeft) providers.unregister(extension, name);
    },
    registerVirtualModel(model) {
      life.requireAlive();
      if (!life.hasLeft) virtualModels.register(extension, model);
    },
    unregisterVirtualModel(provider, id) {
      life.requireAlive();
      if (!life.hasLeft) virtualModels.unregister(extension, provider, id);
    },
    registerMcpServer(name, config) {
      life.requireAlive();
      if (!life.hasLeft) mcp.register(extension, name, config);
    },
    unregisterMcpServer(name) {
      life.requireAlive();
      if (!life.hasLeft) mcp.unregister(extension, name);
    },
    getMcpServers: () => mcp.list(),
    registerShortcut: () => undefined,
    registerMessageRenderer: () => undefined,
    registerEntryRenderer: () => undefined,
    registerMarkdownTransformer: () => undefined,
    registerToolRenderer: () => undefined,
    sendMessage(message, options = {}) {
      const read = readRegistration(ExtensionMessage, message, "Message");
      act("send_message", () => host().sendMessage(read, options));
    },
    sendUserMessage(content, options = {}) {
      const read = readRegistration(UserContent, content, "Message");
      act("send_user_message", () => host().sendUserMessage(read, options));
    },
    appendEntry: (customType, data) => act("append_entry", () => host().appendEntry(customType, data)),
    setSessionName: (name) => act("set_session_name", () => host().setName(name)),
    getSessionName: () => host().conversation().name,
    setLabel: (entryId, label) => host().setLabel(entryId, label),
    getActiveTools: () => host().activeTools(),
    getAllTools() {
      const deferred = host().deferredTools();
      return host()
        .allTools()
        .map((tool) => ({ ...toolInfo(tool), ...(deferred.has(tool.name) ? { deferred: true } : {}) }));
    },
    getSettings: () => host().settings(),
    setActiveTools: (names) => host().setActiveTools(names),
    setModel: ({ provider, id }) => host().setModel(provider, id),
    getThinkingLevel: () => host().thinkingLevel(),
    setThinkingLevel: (level) => act("set_thinking_level", () => host().setThinkingLevel(ThinkingLevel.parse(level))),
    getCommands: () => [...host().commands()],
    exec: (command, args, options = {}) => exec(command, args, { ...options, cwd: options.cwd ?? cwd }),
    events: {
      emit(channel, data) {
        life.requireAlive();
        bus.emit(channel, data);
      },
      on(channel, listener) {
        life.requireAlive();
        return life.atEnd(bus.on(channel, readRegistration(ExtensionFunction, listener, `Listener of ${channel}`)));
      },
    },
  };
}

function readTool(tool: unknown): RegisteredTool {
  const read = readRegistration(RegisteredTool, tool, "Tool");
  return {
    ...read,
    execute: bind(tool, read.execute),
    prepareArguments: read.prepareArguments && bind(tool, read.prepareArguments),
    reachesTools: read.reachesTools && bind(tool, read.reachesTools),
    prepareLoadout: read.prepareLoadout && bind(tool, read.prepareLoadout),
  };
}

/** Keeps `this` for authors who write tools and commands as classes. */
function bind(owner: unknown, method: ExtensionFunction): ExtensionFunction {
  return (...args) => method.apply(owner, args);
}
