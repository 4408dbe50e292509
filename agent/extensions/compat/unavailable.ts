/** Functions and classes of pi that work on its own insides. Importing them does no harm, using them does nothing useful here. */
const NAMES = [
  "AgentSession",
  "AgentSessionRuntime",
  "DefaultPackageManager",
  "DefaultResourceLoader",
  "ExtensionRunner",
  "InteractiveMode",
  "ModelRegistry",
  "ModelRuntime",
  "ProjectTrustStore",
  "RpcClient",
  "SessionManager",
  "SettingsManager",
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

/** Stands for what an extension may import but not use. Whatever is done with it throws an Error that names it. */
export const unavailable: Record<string, unknown> = Object.fromEntries(NAMES.map((name) => [name, refusing(name)]));

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
