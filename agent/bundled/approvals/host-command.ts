import type { ApprovalRule } from "../../protocol/approvals.ts";
import { type CallJudgement, neverAllowed, type Proposal } from "./judgement.ts";
import type { Places } from "./places.ts";
import { judgeShellCall } from "./shell-call.ts";

/** The judge of a command does not know what an earlier one has left behind in the same shell. */
const CHANGES_SHELL =
  /(^|[\s;&|(){}!`])(cd|pushd|popd|alias|unalias|export|declare|typeset|local|readonly|set|setopt|unset|shopt|enable|hash|trap|eval|exec|source|function|\.)([\s;&|]|$)/;

/**
 * Judges a command of a tool that is not our shell, by the same grammar; its rules are of its own. Such a shell may live on, and lies out of
 * our sight: `auto-edit` never lets a command run there, and none is covered by a rule that may change what later ones mean.
 */
export async function judgeHostCommand(
  tool: string,
  command: unknown,
  around: { cwd: string; places: Places },
): Promise<CallJudgement> {
  const judged = await judgeShellCall({ command }, { cwd: around.cwd, places: around.places }); // which shell it is, is not known
  if (typeof command === "string" && CHANGES_SHELL.test(command.replace(/["'\\]/g, ""))) {
    return {
      ...neverAllowed([...judged.reasons, "may change the shell in which later commands run"]),
      ...commandsOf(judged),
    };
  }
  const ofTool = ({ pattern = "" }: Proposal): Proposal => ({ tool, pattern, text: `${tool} ${pattern}` });
  return {
    ...judged,
    isFree: false,
    proposal: judged.proposal && ofTool(judged.proposal),
    allowedBy(rules) {
      const own = new Map<ApprovalRule, ApprovalRule>();
      for (const rule of rules) if (rule.tool === tool) own.set({ ...rule, tool: "bash" }, rule);
      return judged.allowedBy([...own.keys()])?.flatMap((rule) => own.get(rule) ?? []);
    },
    propose(pattern) {
      const proposed = judged.propose(pattern);
      return typeof proposed === "string" ? proposed : ofTool(proposed);
    },
  };
}

function commandsOf({ commands }: CallJudgement): Pick<CallJudgement, "commands"> {
  return commands === undefined ? {} : { commands };
}
