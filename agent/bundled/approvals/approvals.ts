import type { ExtensionAPI } from "../../extensions/author.ts";
import type { ApprovalRule, LoggedDecision, PermissionMode } from "../../protocol/approvals.ts";
import { errorMessage } from "../../protocol/errors.ts";
import type { AnyTool, LeftOut } from "../../tools/tool.ts";
import type { ApprovalDesk, DeskDecision } from "./approval-desk.ts";
import { allowsNoChanges, isShell, mayChange, refusedInMode } from "./call-kind.ts";
import type { Previews } from "./command-trial.ts";
import type { DecisionNotes } from "./decision-notes.ts";
import type { Permission } from "./permission.ts";
import type { ApprovalDialogs, Call, CallWish } from "./questions.ts";

/** The environment of approvals. */
export interface ApprovalParts {
  /** Undefined while there is no host to ask. */
  dialogs(): ApprovalDialogs | undefined;
  /** The directory of the file of rules. */
  agentDir: string;
  /** The workspace. */
  cwd: string;
  /** More folders of the workspace. */
  otherFolders: readonly string[];
  /** The shell that commands run in; undefined for the platform's bash. */
  shellPath?: string | undefined;
  /** Returns the enforced mode at the time of a call. */
  mode(): PermissionMode;
  /** Returns, once, what hooks want for a call: no question, or one in any case. */
  takeWish(toolCallId: string): CallWish | undefined;
  /** The tool that a call names. */
  tool(name: string): AnyTool | undefined;
  /** Globs of files that no tool may read in any mode. */
  denyRead: readonly string[];
  /** True if `confirm` also asks before commands that only read the workspace. */
  asksForReadOnlyCommands: boolean;
  /** Files and folders that the model was told to read, wherever they are. */
  advertised(): readonly string[];
  /** True when a path is the address of a document that only the editor opens. */
  isAddress(path: string): Promise<boolean>;
  /** Says why commands can't run in a sandbox here; undefined if they can. */
  sandbox: { problem(): Promise<string | undefined> };
  previews: Previews;
  /** Switches to the mode in which commands run in the sandbox. */
  useSandbox(): void;
  /** The id of the session at the time of a decision. */
  sessionId(): string;
  /** Values that must not occur in the log of decisions. */
  secrets(): readonly string[];
  /** Tells the user that something went wrong. */
  warn(message: string): void;
}

/** Stands for the id of a call in questions about the user's own commands. */
const USER_COMMAND = "user-command";

/** A call whose arguments were checked. */
interface ToolUse {
  toolCallId: string;
  tool: AnyTool;
  args: Record<string, unknown>;
}

/** Decides whether tools may change something, and keeps the user's rules. */
export interface Approvals {
  /** The extension that judges calls. */
  extension(api: ExtensionAPI): void;
  /** Returns the files that a search of a folder leaves out now; undefined when there are none. */
  leavesOut(folder: string): Promise<LeftOut | undefined>;
  /** True for a shell command that does no more than read, in any mode. Never rejects. */
  onlyReads(tool: AnyTool, args: Record<string, unknown>): Promise<boolean>;
  /** Asks, unless a rule allows it, whether a command may run outside the sandbox, which refused it something. Never rejects. */
  mayRunOutside(call: ToolUse, why: string, signal: AbortSignal): Promise<boolean>;
  /** Takes note of a command of the user's own that runs in the sandbox: questions about hosts are about it. */
  noteUserCommand(command: string, signal: AbortSignal): Promise<void>;
  /** Asks, unless a rule allows it, whether commands in the sandbox may reach a host. */
  mayReach(host: string): Promise<boolean>;
  /** Asks, unless a rule allows it, whether a port of the sandbox may be reached from outside. @param ended aborts when its server has ended. */
  mayOpen(port: number, ended: AbortSignal): Promise<boolean>;
  /** Forgets the rules of the session. */
  reset(): void;
  /** All rules, the oldest first. @throws Error when the file of rules cannot be read. */
  rules(): Promise<ApprovalRule[]>;
  /** Adopts rules that an earlier process of the session had; existing rules don't change. */
  adopt(rules: readonly ApprovalRule[]): Promise<void>;
  /** Returns the logged decisions of all sessions, the newest first. @throws Error when the log can't be read. */
  decisions(limit: number): Promise<LoggedDecision[]>;
  /** @returns false if the rule does not exist. @throws Error if the file of rules cannot be read or written. */
  remove(id: string): Promise<boolean>;
}

/**
 * Creates the approvals. The code that judges calls is loaded for the first call that needs a judgment: in the mode `auto` without rules that
 * forbid reading, that is a command beside other calls.
 */
export function createApprovals(parts: ApprovalParts): Approvals {
  let loading: Promise<ApprovalDesk> | undefined;
  let noting: Promise<DecisionNotes> | undefined;
  const notes = () => {
    noting ??= import("./decision-notes.ts").then(({ DecisionNotes }) => new DecisionNotes(parts));
    return noting;
  };
  const note = (decision: DeskDecision) => {
    notes().then(
      (loaded) => loaded.add(decision),
      (error: unknown) => parts.warn(`The log of approvals can't be written: ${errorMessage(error)}`),
    );
  };
  const desk = () => {
    loading ??= import("./approval-desk.ts").then(({ ApprovalDesk }) => new ApprovalDesk({ ...parts, note }));
    return loading;
  };
  const onlyReads = async (tool: AnyTool, args: Record<string, unknown>) => {
    if (!isShell(tool)) return false;
    return (await desk()).onlyReads(tool, args).catch(() => false);
  };
  return {
    extension(api) {
      api.on("tool_call", async ({ toolCallId, toolName, input }, ctx) => {
        const tool = parts.tool(toolName);
        const mode = parts.mode();
        const wish = parts.takeWish(toolCallId);
        const isAsking = tool?.approval === "always" || wish === "ask";
        const askAs = mode === "auto" && isAsking ? "confirm" : mode;
        const call = tool && { id: toolCallId, tool, args: input, mode: askAs, wish, signal: ctx.signal };
        if (mode === "auto" && !isAsking && parts.denyRead.length === 0) {
          if (call !== undefined && mayChange(call.tool)) note(byMode(call, true));
          return undefined;
        }
        if (allowsNoChanges(mode) && (tool === undefined || (mayChange(tool) && !isShell(tool)))) {
          if (call !== undefined) note(byMode(call, false));
          return block(`Blocked: ${refusedInMode(toolName, mode)}`, false);
        }
        if (call === undefined) return mode === "auto" ? undefined : block(`Blocked by user: ${toolName}`, true);
        return verdictOn(toolName, await (await desk()).permit(call, ctx.ui), parts.dialogs() !== undefined);
      });
      api.on("session_shutdown", async () => {
        await (await loading)?.close();
        await (await noting)?.close();
      });
      api.registerCommand("approvals", {
        description: "Show and remove approval rules",
        handler: async (_args, ctx) => (await desk()).manage(ctx.ui),
      });
    },
    async leavesOut(folder) {
      const areSecretsFree = parts.mode() === "auto";
      if (areSecretsFree && parts.denyRead.length === 0) return undefined;
      return (await desk()).leftOutOf(folder, areSecretsFree);
    },
    onlyReads,
    async mayRunOutside({ toolCallId, tool, args }, why, signal) {
      const call = { id: toolCallId, tool, args, mode: parts.mode(), wish: undefined, signal };
      return (await desk()).mayRunOutside(call, why).catch(() => false);
    },
    async noteUserCommand(command, signal) {
      const tool = parts.tool("bash");
      if (tool === undefined) return;
      const call = { id: USER_COMMAND, tool, args: { command }, mode: parts.mode(), wish: undefined, signal };
      (await desk()).noteContained(call);
    },
    mayReach: async (host) => (await desk()).mayReach(host),
    mayOpen: async (port, ended) => (await desk()).mayOpen(port, ended),
    reset: () => void loading?.then((loaded) => loaded.forgetSession()),
    rules: async () => (await desk()).rules(),
    adopt: async (rules) => (await desk()).adopt(rules),
    decisions: async (limit) => (await notes()).newest(limit),
    remove: async (id) => (await desk()).remove(id),
  };
}

/** Returns the decision of the mode about a call, for the log. */
function byMode(call: Call, isGiven: boolean): DeskDecision {
  return { tool: call.tool.name, call, isGiven, decided: { by: "mode" } };
}

/** Returns a decision in the form of the event's result. @param hasHost true if there is somebody to ask. */
function verdictOn(toolName: string, permission: Permission, hasHost: boolean) {
  if (!permission.isGiven) {
    if (permission.isForbidden) return block(`Blocked: ${permission.why}`, false);
    return hasHost
      ? block(`Blocked by user: ${toolName}${permission.why}`, true)
      : block(needsApproval(toolName), false);
  }
  if (permission.isUnasked) return { isUnasked: true };
  if (permission.previewId !== undefined) return { previewId: permission.previewId };
  if (permission.isContained) return { isContained: true, isReadOnly: permission.isReadOnly === true };
  return permission.edited && { edited: permission.edited };
}

/** Says why a call that asks cannot run where there is nobody to ask. */
function needsApproval(toolName: string): string {
  return `Blocked: ${toolName} needs approval, but nobody is there to ask. Allow it with a rule or another --permission-mode.`;
}

function block(reason: string, isDenied: boolean): { block: true; reason: string; isDenied: boolean } {
  return { block: true, reason, isDenied };
}
