import type { Decider, LoggedDecision } from "../../protocol/approvals.ts";
import { visibleLine } from "../../util/visible-text.ts";
import { readDecisions } from "./decision-log.ts";
import { logPath } from "./decision-notes.ts";

const MAX_DECISIONS = 10_000;
const WORDS: Record<Decider, string> = {
  user: "by you",
  rule: "by a rule",
  mode: "by the mode",
  hook: "by a hook",
  setting: "by denyRead",
  nobody: "without an answer",
};

/**
 * Returns the logged decisions as lines for people, the newest first. @param search only lines with this text, in any case.
 * @throws Error when the log can't be read.
 */
export async function decisionList(agentDir: string, search: string): Promise<string> {
  const decisions = await readDecisions(logPath(agentDir), MAX_DECISIONS);
  if (decisions.length === 0) return "Nothing has been allowed or denied yet.";
  const lines = decisions.map(lineOf).filter((line) => line.toLowerCase().includes(search.toLowerCase()));
  return lines.length === 0 ? `No decision matches "${search}".` : lines.join("\n");
}

function lineOf({ time, decision, by, mode, rules = [], tool, what, workspace, isContained }: LoggedDecision): string {
  const rule = rules.length === 0 ? "" : ` (${rules.join(", ")})`;
  const who = by === "mode" ? `by the mode ${mode}` : `${WORDS[by]}${rule}`;
  const where = isContained === true ? " in the sandbox" : "";
  const when = time.slice(0, 19).replace("T", " ");
  return visibleLine(`${when} ${decision}${where} ${who}: ${tool} ${what} [${workspace}]`);
}
