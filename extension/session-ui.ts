import type { SessionState } from "../agent/protocol/commands.ts";
import type { AgentStatus, PanelUi } from "../webview/protocol.ts";
import type { ProcessState } from "./connection/running-agent.ts";
import { planSteps } from "./transcript/plan.ts";

type SessionUi = Pick<
  PanelUi,
  | "banner"
  | "modelLabel"
  | "thinkingLevel"
  | "hasThinking"
  | "permissionMode"
  | "contextTokens"
  | "contextWindow"
  | "plan"
>;

const SET_KEY = { label: "Set API Key", command: "tiller.setApiKey" } as const;

/** What the panel tells of a session beside its messages. */
export function describeSession(state: SessionState): SessionUi {
  const { model, thinkingLevel, permissionMode, contextUsage, todoPhases } = state;
  return {
    banner: bannerFor(model?.provider),
    modelLabel: model?.name ?? "No model",
    thinkingLevel,
    hasThinking: model?.reasoning ?? false,
    permissionMode,
    contextTokens: contextUsage?.tokens ?? undefined,
    contextWindow: model?.contextWindow,
    plan: planSteps(todoPhases),
  };
}

function bannerFor(provider: string | undefined): PanelUi["banner"] {
  if (provider === undefined)
    return { text: "No model is chosen. Set an Anthropic API key to use one.", action: SET_KEY };
  if (provider !== "demo") return undefined;
  return {
    text: "The demo model is answering. It is not a language model. Set an Anthropic API key to use a real one.",
    action: SET_KEY,
  };
}

/** The status of a process state; `ready` is told by the session, `crashed` by the crash. */
export const STATUS_OF_PROCESS: { readonly [S in ProcessState]: AgentStatus | undefined } = {
  stopped: "stopped",
  starting: "starting",
  stopping: "stopping",
  ready: undefined,
  crashed: undefined,
};
