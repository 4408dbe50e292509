import type { DangerKind } from "../../protocol/dialogs.ts";
import { ALL_SCOPES, type CallJudgement } from "./judgement.ts";
import { dangerOfReason } from "./warnings.ts";

/** The name under which rules for hosts are kept. */
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
  return {
    reasons: [`connects to ${host} from the sandbox`],
    isFree: false,
    scopes: ALL_SCOPES,
    proposal: {
      tool: SANDBOX_TOOL,
      pattern: host,
      text: `${SANDBOX_TOOL} ${host}`,
      covers: `Covers everything that commands in the sandbox load from ${host} or send to it.`,
      isFixed: true,
    },
    allowedBy(rules) {
      const rule = rules.find(({ tool, pattern }) => tool === SANDBOX_TOOL && pattern === host);
      return rule === undefined ? undefined : [rule];
    },
    propose: () => `The rule is ${host}.`,
  };
}
