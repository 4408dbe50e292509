import type { RpcClient } from "../../agent/client/rpc-client.ts";
import type { PermissionMode } from "../../agent/protocol/approvals.ts";
import type { CommandInput, CommandResult, SessionState } from "../../agent/protocol/commands.ts";
import { t } from "../../webview/l10n.ts";
import type { Prompt } from "../../webview/protocol/draft.ts";
import type { PanelUi } from "../../webview/protocol/ui.ts";
import { panelPlan } from "../core/transcript/plan.ts";
import type { SessionMode } from "./session-mode.ts";
import type { TranscriptStore } from "./transcript-store.ts";

/** The maximum length of the title of a plan, in UTF-16 units. */
const MAX_TITLE_CHARS = 120;

/** The chat, as plan mode uses it. */
interface PlanningChat {
  readonly mode: SessionMode;
  readonly transcript: TranscriptStore;
  readonly agent: { readonly client: RpcClient | undefined };
  readonly outbox: { prompt(prompt: Prompt): Promise<void> };
  /** Asks the agent, which is started when there is none. */
  request<C extends "get_state" | "revise_plan" | "start_plan">(
    type: C,
    params: CommandInput<C>,
  ): Promise<CommandResult<C>>;
  setMode(mode: PermissionMode): Promise<void>;
  followModeSetting(): Promise<void>;
  /** Reads the agent's state again. */
  refresh(): Promise<void>;
}

/** Plan mode: the agent only looks, and proposes a plan; the user changes, starts, or discards it. */
export class PlanFirst {
  readonly #chat: PlanningChat;

  constructor(chat: PlanningChat) {
    this.#chat = chat;
  }

  /** Switches to plan mode and sends a message, unless it is empty. Rejects when the agent refuses the mode. */
  async ask(prompt: Prompt): Promise<void> {
    await this.#chat.setMode("plan");
    const isEmpty = prompt.text === "" && !prompt.contexts?.length && !prompt.images?.length;
    if (!isEmpty) await this.#chat.outbox.prompt(prompt);
  }

  /** Returns the proposed plan as Markdown. Rejects when there is none. */
  async read(): Promise<string> {
    const { proposedPlan } = await this.#chat.request("get_state", { omit: ["systemPrompt", "dumpTools"] });
    if (proposedPlan === undefined)
      throw new Error(t("There's no plan to start. To get one, send your task in Plan First mode."));
    return proposedPlan;
  }

  /** Carries out the proposed plan. @param mode what the agent may do without asking from now on. */
  async start(mode: PermissionMode): Promise<void> {
    // Without a plan to carry out, the agent must not get more rights.
    await this.read();
    await this.#chat.setMode(mode);
    const { proposedPlan, todoPhases } = await this.#chat.request("start_plan", {});
    this.#chat.transcript.dispatch({ type: "host_ui", ui: { plan: panelPlan(todoPhases), proposedPlan: undefined } });
    // The model keeps what the user says through compactions.
    const text = t("Carry out this plan, and mark each step as completed when it is done:\n\n{0}", proposedPlan);
    await this.#chat.outbox.prompt({ text, delivery: "followUp" });
  }

  /** Replaces the proposed plan; an empty text discards it. */
  async revise(text: string): Promise<void> {
    if (text.trim() === "") return this.discard();
    const { proposedPlan } = await this.#chat.request("revise_plan", { text });
    this.#show(proposedPlan ?? undefined);
  }

  /** Discards the proposed plan and returns to the mode of the settings. */
  async discard(): Promise<void> {
    await this.#chat.request("revise_plan", { text: "" });
    this.#show(undefined);
    await this.#chat.followModeSetting();
  }

  /** A new message takes the place of the plan. */
  runStarted(): void {
    if (this.#chat.transcript.ui.proposedPlan !== undefined) this.#show(undefined);
  }

  /** Shows the plan that a run has ended with. */
  async runEnded(): Promise<void> {
    if (this.#chat.mode.current !== "plan" || this.#chat.agent.client === undefined) return;
    await this.#chat.refresh().catch(() => {}); // an agent that has exited meanwhile is reported elsewhere
  }

  /** Continues in plan mode with a session that has a proposed plan, unless the settings allow less. */
  sessionOpened({ proposedPlan }: SessionState): void {
    const { mode } = this.#chat;
    if (proposedPlan !== undefined && mode.current !== "readonly") mode.choose("plan");
  }

  #show(text: string | undefined): void {
    this.#chat.transcript.dispatch({ type: "host_ui", ui: describeProposedPlan(text) });
  }
}

/** Returns the part of the UI that shows a proposed plan, by its first heading or line. */
export function describeProposedPlan(text: string | undefined): Pick<PanelUi, "proposedPlan"> {
  if (text === undefined) return { proposedPlan: undefined };
  const lines = text.split("\n").map((line) => line.replace(/^#+\s*/, "").trim());
  const title = lines.find((line) => line !== "") ?? "";
  return { proposedPlan: title.slice(0, MAX_TITLE_CHARS) };
}

/** Returns what follows `/plan` in a message; undefined for any other message. */
export function readPlanCommand(text: string): string | undefined {
  const found = /^\/plan(?:\s+([\s\S]*))?$/.exec(text.trim());
  return found === null ? undefined : (found[1] ?? "");
}
