import type { ExtensionContext } from "./api-context.ts";
import type { ModelRegistryView } from "./api-models.ts";
import type { ExtensionHost } from "./host.ts";
import { createSessionActions } from "./session-actions.ts";
import { createSessionView } from "./session-view.ts";
import { createUi } from "./ui-object.ts";

interface ContextParts {
  host: ExtensionHost;
  models: ModelRegistryView;
  cwd: string;
  extensionName: string;
  sendsTitle: boolean;
  workSignal(): AbortSignal | undefined;
  warn(message: string): void;
}

/** Creates the context that the handlers of an extension get with their event. */
export function createContext(parts: ContextParts): ExtensionContext {
  const { host, models, cwd, extensionName, sendsTitle, workSignal, warn } = parts;
  const context: ExtensionContext = {
    ui: createUi({
      host: host.ui,
      extensionName,
      sendsTitle,
      workSignal,
      sessionSignal: () => host.sessionSignal(),
      warn,
    }),
    mode: "rpc",
    hasUI: true,
    cwd,
    sessionManager: createSessionView(() => host.conversation(), cwd),
    modelRegistry: models,
    get model() {
      return host.model();
    },
    get scopedModels() {
      return host.scopedModels();
    },
    get thinkingLevel() {
      return host.thinkingLevel();
    },
    get signal() {
      return workSignal() ?? host.runSignal();
    },
    isIdle: () => host.isIdle(),
    hasPendingMessages: () => host.hasPendingMessages(),
    abort: () => host.abort(),
    shutdown: () => host.shutdown(),
    getContextUsage: () => host.contextUsage(),
    getSystemPrompt: () => host.systemPrompt(),
    getSystemPromptOptions: () => host.systemPromptOptions(),
    compact(options = {}) {
      void host.compact(options.customInstructions).then(options.onComplete, options.onError);
    },
    waitForIdle: () => host.idle(),
    ...createSessionActions(host, cwd, () => context),
    reload: () => host.reload(),
    isProjectTrusted: () => host.isProjectTrusted(),
  };
  return context;
}
