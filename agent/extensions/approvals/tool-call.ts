import type { AnyTool } from "../../tools/tool.ts";
import { ALL_SCOPES, type CallJudgement, neverAllowed } from "./judgement.ts";
import { hasInvisible } from "./visible-text.ts";

/** Judges a call of a tool of which nothing is known but its name: the name is the rule. */
export function judgeToolCall({ name, origin }: AnyTool): CallJudgement {
  const text = origin === "builtin" ? `tool ${name}` : `${origin} tool ${name}`;
  if (hasInvisible(name)) return neverAllowed(["its name has characters that cannot be seen"]);
  return {
    reasons: [],
    isFree: false,
    scopes: ALL_SCOPES,
    proposal: { tool: name, text },
    allowedBy(rules) {
      // The text tells tools of the host from those of an extension that has the same name.
      const rule = rules.find((one) => one.tool === name && one.pattern === undefined && one.text === text);
      return rule === undefined ? undefined : [rule];
    },
    propose: () => "The rule of this tool is its name.",
  };
}
