import type { ExtensionContext, SessionView } from "./api-context.ts";
import type { ModelRegistryView } from "./api-models.ts";
import type { ExtensionHost } from "./host.ts";
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

/** Makes what the handlers of one extension get beside their event. */
export function createContext(parts: ContextParts): ExtensionContext {
  const { host, models, cwd, extensionName, sendsTitle, workSignal, warn } = parts;
  return {
    ui: createUi({ host: host.ui, extensionName, sendsTitle, workSignal, warn }),
    mode: "rpc",
    hasUI: true,
    cwd,
    sessionManager: sessionView(host, cwd),
    modelRegistry: models,
    get model() {
      return host.model();
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
    newSession: (options = {}) => host.newSession(options.parentSession),
    fork: (entryId) => host.fork(entryId),
    branch: (entryId) => host.fork(entryId),
    clone: () => host.clone(),
    switchSession: (path) => host.switchSession(path),
    reload: () => host.reload(),
    isProjectTrusted: () => host.isProjectTrusted(),
  };
}

function sessionView(host: ExtensionHost, cwd: string): SessionView {
  return {
    getCwd: () => cwd,
    getHeader: () => host.conversation().header,
    getSessionId: () => host.conversation().id,
    getSessionFile: () => host.conversation().file,
    getSessionName: () => host.conversation().name,
    getLeafId: () => host.conversation().leafId,
    getEntries: () => [...host.conversation().entries],
    getBranch: () => host.conversation().path(),
    getEntry: (id) => host.conversation().known(id),
    getLabel: (id) => host.conversation().labels().get(id)?.label,
  };
}
