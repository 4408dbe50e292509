import type { ExtensionHost } from "../../extensions/host.ts";
import type { Services } from "../services/services.ts";
import { resourcePart } from "../session-change/extension-resources.ts";
import { tellSelection } from "../session-change/tell-selection.ts";
import type { DialogHub } from "../wire/dialogs.ts";
import { inLane } from "../wire/in-lane.ts";
import { messagePart } from "./extension-messages.ts";
import { sessionPart } from "./extension-sessions.ts";

interface HostParts {
  services: Services;
  dialogs: DialogHub;
  /** True if extensions may add tools. */
  takesTools: boolean;
  isProjectTrusted: boolean;
  abort(): void;
  shutdown(): void;
  reload(): Promise<void>;
}

/** Creates the agent, as extensions use it. */
export function createExtensionHost(parts: HostParts): ExtensionHost {
  const { session, lanes } = parts.services;
  const { tools, selection, registry } = session.options;
  return {
    ...sessionPart(parts.services, parts.dialogs),
    ...messagePart(parts.services),
    ...resourcePart(parts.services, parts.isProjectTrusted),
    reload: parts.reload,
    ui: parts.dialogs,
    models: registry,
    addTool(tool, isActive) {
      if (parts.takesTools) tools.add(tool, isActive);
    },
    removeTool: (tool) => tools.remove(tool),
    activeTools: () => [...tools.active().keys()],
    allTools: () => tools.all(),
    deferredTools: () => session.shelf.waiting(),
    setActiveTools: (names) => tools.setActive(names),
    shutdown: parts.shutdown,
    isIdle: () => !session.isStreaming,
    hasPendingMessages: () => session.queue.length > 0 || session.queue.hasWaiting,
    runSignal: () => (session.isStreaming ? session.runSignal : undefined),
    abort: parts.abort,
    idle: () => session.runEnded(),
    contextUsage: () => session.contextUsage(),
    systemPrompt: () => session.opening.systemPrompt ?? session.prompt.text(),
    systemPromptOptions: () => session.prompt.draft().options,
    compact: (customInstructions) => inLane(lanes, "compact", () => session.compact(customInstructions)),
    model: () => selection.model,
    async setModel(provider, id) {
      const model = registry.find(provider, id);
      if (model === undefined || !registry.hasCredentials(provider)) return false;
      await tellSelection(parts.services, "set", () => session.setModel(model));
      return true;
    },
    settings() {
      const { hooks, web, prompts, skills, extensions, ...shared } = session.options.settings;
      return structuredClone(shared);
    },
    scopedModels: () => selection.scope.map((scoped) => ({ ...scoped })),
    thinkingLevel: () => selection.thinkingLevel,
    setThinkingLevel: (level) => tellSelection(parts.services, "set", () => session.setThinkingLevel(level)),
  };
}
