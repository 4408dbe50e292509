import type { Approvals } from "../../bundled/approvals/approvals.ts";
import type { McpDesk } from "../../bundled/mcp/mcp-parts.ts";
import type { HostRecording } from "../../changes/host-recording.ts";
import type { LateChanges } from "../../changes/late-changes.ts";
import type { ConsentDesk } from "../../extensions/consent/consent-desk.ts";
import type { ExtensionRunner } from "../../extensions/runner.ts";
import type { BashRunner } from "../../session/bash-runner.ts";
import type { Sessions } from "../../session/open.ts";
import type { Session } from "../../session/session.ts";
import type { PreviewedCommands } from "../../tools/previewed-commands.ts";
import type { SessionProcesses } from "../../tools/session-processes.ts";
import type { HostModelBridge } from "../wire/host-models.ts";
import type { HostSecretBridge } from "../wire/host-secrets.ts";
import type { HostToolBridge } from "../wire/host-tools.ts";
import type { Lanes } from "../wire/lanes.ts";
import type { Output } from "../wire/output.ts";
import type { CommandList } from "./command-list.ts";
import type { Resources } from "./create-resources.ts";
import type { HeldPrompts } from "./held-prompts.ts";
import type { InputHooks } from "./input-hooks.ts";
import type { MessageTexts } from "./message-texts.ts";
import type { SessionScope } from "./session-scope.ts";

/** The parts that handlers work with. */
export interface Services {
  session: Session;
  bash: BashRunner;
  processes: SessionProcesses;
  hostTools: HostToolBridge;
  hostModels: HostModelBridge;
  hostSecrets: HostSecretBridge;
  gate: Approvals;
  previews: PreviewedCommands;
  sandbox: {
    /** Returns why commands can't run in it here; undefined if they can. */
    problem(): Promise<string | undefined>;
    /** Ends what runs in it. */
    end(): Promise<void>;
  };
  consents: ConsentDesk;
  output: Output;
  /** What the agent changes, unless the host records that. */
  changes: LateChanges;
  hostRecording: HostRecording;
  sessions: Sessions;
  held: HeldPrompts;
  resources: Resources;
  commands: CommandList;
  texts: MessageTexts;
  lanes: Lanes;
  extensions: ExtensionRunner;
  /** Resources and prompts of MCP servers; undefined if MCP is off. */
  mcp: McpDesk | undefined;
  inputs: InputHooks;
  scope: SessionScope;
  agentDir: string;
  /** Loads everything that is installed again, for another session. */
  loadForSession(): Promise<void>;
  /** Aborts when the process is about to end, because answers are no longer needed. */
  ending: AbortController;
}
