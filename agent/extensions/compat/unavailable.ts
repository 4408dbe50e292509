/** Functions and classes of pi that work on its own insides. Importing them does no harm, using them does nothing useful here. */
export const AGENT_INSIDES = [
  "AgentSession",
  "AgentSessionRuntime",
  "AuthStorage",
  "DefaultPackageManager",
  "DefaultResourceLoader",
  "ExtensionRunner",
  "InteractiveMode",
  "ModelRegistry",
  "ModelRuntime",
  "ProjectTrustStore",
  "RpcClient",
  "SessionManager",
  "buildContextEntries",
  "buildSessionContext",
  "collectEntriesForBranchSummary",
  "compact",
  "createAgentSession",
  "createAgentSessionFromServices",
  "createAgentSessionRuntime",
  "createAgentSessionServices",
  "createExtensionRuntime",
  "createLocalPowerShellOperations",
  "createPowerShellTool",
  "createPowerShellToolDefinition",
  "discoverAndLoadExtensions",
  "findCutPoint",
  "generateBranchSummary",
  "generateSummary",
  "generateSummaryWithUsage",
  "getPowerShellConfig",
  "loadProjectContextFiles",
  "loadSkills",
  "loadSkillsFromDir",
  "main",
  "migrateSessionEntries",
  "parseArgs",
  "prepareBranchEntries",
  "readStoredCredential",
  "resolveCliModel",
  "runPrintMode",
  "runRpcMode",
  "wrapRegisteredTool",
  "wrapRegisteredTools",
];

/** The same of pi's agent library. */
export const CORE_INSIDES = [
  "Agent",
  "AgentHarness",
  "agentLoop",
  "agentLoopContinue",
  "compact",
  "generateBranchSummary",
  "generateSummary",
  "runAgentLoop",
  "runAgentLoopContinue",
  "streamProxy",
];

/** Stands for what an extension may import but not use. Whatever is done with one of them throws an Error that names it. */
export function unavailable(names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, refusing(name)]));
}

function refusing(name: string): object {
  const refuse = () => {
    throw new Error(`${name} belongs to another agent: an extension cannot use it here.`);
  };
  class Unavailable {
    constructor() {
      refuse();
    }
  }
  return new Proxy(Unavailable, {
    apply: refuse,
    get: (target, member) =>
      typeof member === "symbol" || Reflect.has(target, member) ? Reflect.get(target, member) : refuse,
  });
}
