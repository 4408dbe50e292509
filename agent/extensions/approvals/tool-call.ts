import type { ApprovalScope } from "../../protocol/approvals.ts";
import type { AnyTool } from "../../tools/tool.ts";
import { ALL_SCOPES, type CallJudgement, neverAllowed } from "./judgement.ts";
import { hasInvisible } from "./visible-text.ts";

/** Another project may bring a tool, or an MCP server, of the same name that does something else. */
const SCOPES_IN_PROJECT: readonly ApprovalScope[] = ["session", "workspace"];

/** Judges a call of a tool of which nothing is known but its name: the name is the rule. */
export function judgeToolCall({ name, origin, approval }: AnyTool): CallJudgement {
  const text = origin === "builtin" ? `tool ${name}` : `${origin} tool ${name}`;
  if (hasInvisible(name)) return neverAllowed(["its name has characters that cannot be seen"]);
  if (approval === "always") return neverAllowed(["it asks each time"]);
  const scopes = origin === "extension" ? SCOPES_IN_PROJECT : ALL_SCOPES;
  return {
    reasons: [],
    isFree: approval === "edit",
    scopes,
    proposal: { tool: name, text },
    allowedBy(rules) {
      // The text tells tools of the host from those of an extension that has the same name.
      const rule = rules.find(
        (one) => one.tool === name && one.pattern === undefined && one.text === text && scopes.includes(one.scope),
      );
      return rule === undefined ? undefined : [rule];
    },
    propose: () => "The rule of this tool is its name.",
  };
}
