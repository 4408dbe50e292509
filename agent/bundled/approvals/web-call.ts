import type { Reached } from "../../tools/tool.ts";
import { ALL_SCOPES, type CallJudgement } from "./judgement.ts";

/** Judges a call that sends a request to a web host. Rules name the host. */
export function judgeWebCall(tool: string, { host }: Reached): CallJudgement {
  return {
    reasons: [`connects to ${host}`],
    isFree: false,
    scopes: ALL_SCOPES,
    proposal: {
      tool,
      pattern: host,
      text: `${tool} ${host}`,
      covers: `Covers calls of ${tool} for every address of ${host}.`,
      isFixed: true,
    },
    allowedBy(rules) {
      const rule = rules.find((one) => one.tool === tool && one.pattern === host);
      return rule === undefined ? undefined : [rule];
    },
    propose: () => `This call's rule is ${host}.`,
  };
}
