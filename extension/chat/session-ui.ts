import type { BackgroundProcess } from "../../agent/protocol/background.ts";
import type { ContextUsage, SessionState } from "../../agent/protocol/commands.ts";
import { t } from "../../webview/l10n.ts";
import type { PanelUi } from "../../webview/protocol/ui.ts";
import { panelPlan } from "../core/transcript/plan.ts";
import { describeProposedPlan } from "./plan-first.ts";
import { modeFace, uncontainedFace } from "./session-mode.ts";

type SessionUi = Pick<
  PanelUi,
  | "background"
  | "banner"
  | "setup"
  | "modelLabel"
  | "acceptsImages"
  | "thinkingLevel"
  | "hasThinking"
  | "mode"
  | "contextTokens"
  | "contextWindow"
  | "cache"
  | "isCompacting"
  | "plan"
  | "proposedPlan"
>;

function setUp() {
  return { label: t("Set Up a Model"), command: "tiller.setUpModel" };
}

/** Returns the parts of the UI that show a session beside its messages. */
export function describeSession(state: SessionState): SessionUi {
  const { model, thinkingLevel, permissionMode, sandboxProblem, contextUsage, todoPhases } = state;
  return {
    ...describeBackground(state.backgroundProcesses),
    banner: bannerFor(model?.provider),
    setup: setupFor(model?.provider),
    modelLabel: model?.name ?? t("No model"),
    acceptsImages: model?.input.includes("image"),
    thinkingLevel,
    hasThinking: model?.reasoning ?? false,
    mode: sandboxProblem === undefined ? modeFace(permissionMode) : uncontainedFace(sandboxProblem),
    contextTokens: contextUsage?.tokens ?? undefined,
    contextWindow: (contextUsage?.contextWindow ?? model?.contextWindow) || undefined,
    ...describeCache(contextUsage),
    isCompacting: state.isCompacting,
    plan: panelPlan(todoPhases),
    ...describeProposedPlan(state.proposedPlan),
  };
}

/** Returns the part of the UI state that says when the provider's cache of the chat expires. */
export function describeCache(usage: ContextUsage | undefined): Pick<PanelUi, "cache"> {
  const { expiresAt, rereadCost } = usage?.cache ?? {};
  return {
    cache: expiresAt === undefined || rereadCost === undefined ? undefined : { expiresAt, rereadUsd: rereadCost },
  };
}

/** Returns the part of the UI that shows what runs in the background. */
export function describeBackground(processes: readonly BackgroundProcess[] = []): Pick<PanelUi, "background"> {
  return { background: processes.length === 0 ? undefined : processes.map(({ command }) => command) };
}

function bannerFor(provider: string | undefined): PanelUi["banner"] {
  if (provider === undefined) return { text: t("No model selected."), action: setUp() };
  if (provider !== "demo") return undefined;
  return {
    text: t("You're using the demo model, which isn't a language model."),
    action: setUp(),
    canDismiss: true,
  };
}

function setupFor(provider: string | undefined): PanelUi["setup"] {
  if (provider === undefined) {
    const text = t(
      "The agent is running but has no model to use. Set one up with an API key, a local server, or the editor's own models.",
    );
    return { kind: "noModel", text, action: setUp() };
  }
  if (provider !== "demo") return undefined;
  const text = t(
    'Set up a real model with an API key, a local server, or the editor\'s own models. Until then, a scripted demo model responds so that you can look around. Type "help" to try it.',
  );
  return { kind: "noKey", text, action: setUp() };
}

/** Returns the content of an empty chat when no agent could be started. */
export function agentMissing({ message }: Error): NonNullable<PanelUi["setup"]> {
  const isSetting = message.includes('"tiller.agent.command"');
  const action = isSetting
    ? { label: t("Open Settings"), command: "tiller.openSettings" }
    : { label: t("Restart Agent"), command: "tiller.restartAgent" };
  return { kind: "noAgent", text: message, action };
}

/** Describes for people why no agent starts. */
export function wordBlocked(reason: "untrusted" | "noFolder"): string {
  return reason === "untrusted"
    ? t("The agent starts only in a trusted workspace. Trust this workspace first.")
    : t("The agent needs a folder to work in. Open a folder first.");
}

/** Says how the agent ended. */
export function wordExit({ message }: Error): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}

/** Says that the agent has exited, and what happens next. @param restartInMs absent when it is not restarted. */
export function wordCrash(error: Error, restartInMs: number | undefined): string {
  const seconds = restartInMs === undefined ? undefined : Math.round(restartInMs / 1000);
  const next = seconds === undefined ? t("It won't restart automatically.") : t("Restarting in {0}s…", seconds);
  return `${wordExit(error)} ${next}`;
}
