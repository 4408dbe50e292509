import type { DangerKind } from "../../protocol/dialogs.ts";
import { ALL_SCOPES, type CallJudgement } from "./judgement.ts";
import { dangerOfReason } from "./warnings.ts";

/** The name under which rules for hosts and ports are kept. */
export const SANDBOX_TOOL = "sandbox";

/** Dangers that no sandbox removes, as they are about the workspace itself, and those of commands that can't work in one. */
const ASKED_FIRST: ReadonlySet<DangerKind> = new Set([
  "admin_rights",
  "changes_system",
  "deletes_branch",
  "discards_changes",
  "protected_file",
  "publishes",
  "reaches_machine",
]);
const DELETES_WORKSPACE = /^deletes (?:everything in )?the workspace$/;

/** True for a command that is asked about before it runs, and then runs outside the sandbox. */
export function isAskedFirst({ dangers = [], reasons }: CallJudgement): boolean {
  const kinds = [...dangers.map(({ kind }) => kind), ...reasons.map((reason) => dangerOfReason(reason)?.kind)];
  return (
    kinds.some((kind) => kind !== undefined && ASKED_FIRST.has(kind)) ||
    reasons.some((reason) => DELETES_WORKSPACE.test(reason))
  );
}

/** Returns the judgment of a command that may run outside the sandbox. */
export function outsideSandbox(judged: CallJudgement, why: string): CallJudgement {
  return { ...judged, reasons: [`runs again, outside the sandbox, which refused ${why}`, ...judged.reasons] };
}

/** Judges a connection from the sandbox: its rule is the host. */
export function judgeHost(host: string): CallJudgement {
  const reason = `connects to ${host} from the sandbox`;
  return judge(host, reason, `Covers everything that commands in the sandbox load from ${host} or send to it.`);
}

/** Returns the pattern of the rule for a port. */
export function portPattern(port: number): string {
  return `port ${port}`;
}

/** Judges a port of the sandbox that becomes reachable from outside. */
export function judgePort(port: number): CallJudgement {
  const reason = `opens port ${port}: programs on this machine, such as your browser, can then reach the server that runs in the sandbox`;
  return judge(portPattern(port), reason, `Covers every server in the sandbox that listens on port ${port}.`);
}

/** Judges what a command in the sandbox wants beyond it. @param wanted the pattern of its rule. */
function judge(wanted: string, reason: string, covers: string): CallJudgement {
  return {
    reasons: [reason],
    isFree: false,
    scopes: ALL_SCOPES,
    proposal: { tool: SANDBOX_TOOL, pattern: wanted, text: `${SANDBOX_TOOL} ${wanted}`, covers, isFixed: true },
    allowedBy(rules) {
      const rule = rules.find(({ tool, pattern }) => tool === SANDBOX_TOOL && pattern === wanted);
      return rule === undefined ? undefined : [rule];
    },
    propose: () => `The rule is ${wanted}.`,
  };
}
