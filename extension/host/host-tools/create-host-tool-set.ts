import * as vscode from "vscode";
import { errorMessage } from "../../../agent/protocol/errors.ts";
import type { RunningAgent } from "../../core/connection/running-agent.ts";
import { isAffected, readSetting, TOOL_SETTINGS } from "../../editor/settings.ts";
import type { ChangeTracker } from "../changes/change-tracker.ts";
import { createHostTools } from "./all-tools.ts";
import type { Highlight } from "./editor/highlight.ts";
import { HostToolSet } from "./host-tool-set.ts";
import { LmToolWatch } from "./lm/lm-tool-watch.ts";
import { NeedWatch } from "./need-watch.ts";

interface HostToolSetOptions {
  /** Listeners, to be disposed with the extension. */
  readonly subscriptions: vscode.Disposable[];
  readonly changes: ChangeTracker;
  readonly highlight: Highlight;
  readonly log: vscode.LogOutputChannel;
  /** The agents that get the tools, running or not. */
  agents(): readonly RunningAgent[];
}

/** Creates the host tools of the window, and tells running agents when one is added or removed. */
export function createHostToolSet({ subscriptions, changes, highlight, log, agents }: HostToolSetOptions): HostToolSet {
  const resend = () => resendHostTools(agents(), log);
  const allowedCommands = () => readSetting("hostTools.allowedCommands");
  const own = createHostTools({
    subscriptions,
    highlight,
    allowedCommands,
    reportsProblems: () => readSetting("hostTools.reportProblems"),
    changes,
  });
  const lmTools = new LmToolWatch(() => agents().some(({ client }) => client !== undefined), resend);
  const needs = new NeedWatch(allowedCommands, resend);
  subscriptions.push(
    lmTools,
    needs,
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (isAffected(event, TOOL_SETTINGS)) resend();
    }),
  );
  return new HostToolSet({
    own,
    foreign: () => (readSetting("hostTools.languageModelTools") ? lmTools.tools : []),
    disabled: () => readSetting("hostTools.disabled"),
    tier: (name) => readSetting("hostTools.approval")[name],
    isThere: (need) => needs.isThere(need),
    look: () => needs.look(),
    changed: resend,
  });
}

/** Registers the tools again with running agents; the others get them when they start. */
function resendHostTools(agents: readonly RunningAgent[], log: vscode.LogOutputChannel): void {
  for (const agent of agents) {
    agent
      .lendTools()
      .catch((error: unknown) => log.warn(`Couldn't tell the agent about the tools: ${errorMessage(error)}`));
  }
}
