import type { ApprovalScope } from "../../protocol/approvals.ts";
import { hasInvisible } from "../../util/visible-text.ts";
import { type CallJudgement, neverAllowed, type Proposal } from "./judgement.ts";

/** The tools that change one file, named by `path`. */
export type FileTool = "edit" | "write";

/** Other windows have other documents and file systems under the same address. */
const SCOPES: readonly ApprovalScope[] = ["session"];
/** Untitled documents: changes stay in the editor until the user saves them. */
const UNSAVED = "untitled:";

/** Judges a change of what only the editor opens. Its rules are the address, or how it begins and a `*`. */
export function judgeAddressCall(tool: FileTool, address: string): CallJudgement {
  if (hasInvisible(address)) return neverAllowed(["its address has characters that cannot be seen"]);
  const isUnsaved = address.startsWith(UNSAVED);
  const scheme = address.slice(0, address.indexOf(":") + 1);
  const isPlain = !address.endsWith("*"); // as a rule it would be another one
  const matches = (pattern: string) =>
    pattern.startsWith(scheme) &&
    (pattern.endsWith("*") ? address.startsWith(pattern.slice(0, -1)) : pattern === address);
  const proposal = (pattern: string): Proposal => ({ tool, pattern, text: `${tool} ${pattern}` });
  return {
    reasons: isUnsaved ? [] : [`changes what is no file of the workspace: ${address}`],
    isFree: isUnsaved,
    scopes: SCOPES,
    proposal: isUnsaved ? proposal(`${UNSAVED}*`) : isPlain ? proposal(address) : undefined,
    allowedBy(rules) {
      const rule = rules.find(
        ({ tool: name, scope, pattern }) =>
          name === tool && scope === "session" && pattern !== undefined && matches(pattern),
      );
      return rule === undefined ? undefined : [rule];
    },
    propose(pattern) {
      const wish = pattern.trim();
      if (hasInvisible(wish) || !matches(wish)) return `${wish}: start it with ${scheme} so that it matches ${address}`;
      return proposal(wish);
    },
  };
}
