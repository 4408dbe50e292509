import * as vscode from "vscode";
import { errorMessage } from "../../../agent/protocol/errors.ts";
import type { RunningAgent } from "../../core/connection/running-agent.ts";
import { isAffected, readSetting, TOOL_SETTINGS } from "../../editor/settings.ts";
import type { ChangeTracker } from "../changes/change-tracker.ts";
import { createHostTools } from "./all-tools.ts";
import type { Highlight } from "./editor/highlight.ts";
import { LmToolWatch } from "./lm/lm-tool-watch.ts";
import { NeedWatch } from "./need-watch.ts";
import { ToolShelf } from "./tool-shelf.ts";

interface LentToolsOptions {
  /** Listeners, to be disposed with the extension. */
  readonly subscriptions: vscode.Disposable[];
  readonly changes: ChangeTracker;
  readonly highlight: Highlight;
  readonly log: vscode.LogOutputChannel;
  /** The agents that the tools are lent to, running or not. */
  agents(): readonly RunningAgent[];
}

/** Creates the tools that agents are lent, and tells running agents when one is added or removed. */
export function createLentTools({ subscriptions, changes, highlight, log, agents }: LentToolsOptions): ToolShelf {
  const lend = () => lendAnew(agents(), log);
  const allowedCommands = () => readSetting("hostTools.allowedCommands");
  const own = createHostTools({
    subscriptions,
    highlight,
    allowedCommands,
    reportsProblems: () => readSetting("hostTools.reportProblems"),
    changes,
  });
  const lmTools = new LmToolWatch(() => agents().some(({ client }) => client !== undefined), lend);
  const needs = new NeedWatch(allowedCommands, lend);
  subscriptions.push(
    lmTools,
    needs,
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (isAffected(event, TOOL_SETTINGS)) lend();
    }),
  );
  return new ToolShelf({
    own,
    foreign: () => (readSetting("hostTools.languageModelTools") ? lmTools.tools : []),
    disabled: () => readSetting("hostTools.disabled"),
    tier: (name) => readSetting("hostTools.approval")[name],
    isThere: (need) => needs.isThere(need),
    look: () => needs.look(),
    changed: lend,
  });
}

/** Lends the tools to running agents again; the others get them when they start. */
function lendAnew(agents: readonly RunningAgent[], log: vscode.LogOutputChannel): void {
  for (const agent of agents) {
    agent
      .lendTools()
      .catch((error: unknown) => log.warn(`The agent was not told of the tools: ${errorMessage(error)}`));
  }
}
