import type { RpcClient } from "../../agent/client/rpc-client.ts";
import type { CommandInput, CommandResult } from "../../agent/protocol/commands.ts";
import { errorMessage } from "../../agent/protocol/errors.ts";
import { t } from "../../webview/l10n.ts";
import type { PlanEdit } from "../../webview/protocol/ui.ts";
import { panelPlan } from "../core/transcript/plan.ts";
import type { ChatLog } from "./chat-ports.ts";
import { editPlan } from "./plan-edits.ts";
import type { TranscriptStore } from "./transcript-store.ts";

/** The chat, as the plan uses it. */
interface PlanPorts {
  readonly transcript: TranscriptStore;
  readonly log: ChatLog;
  readonly client: () => RpcClient | undefined;
  /** Asks the agent, which is started when there is none. */
  request<C extends "get_state" | "set_todos">(type: C, params: CommandInput<C>): Promise<CommandResult<C>>;
}

/** The plan of a chat: carries out what the user does to it, one change after the other, each on the plan as the agent has it by then. */
export class PlanEditor {
  readonly #ports: PlanPorts;
  #last: Promise<void> = Promise.resolve();

  constructor(ports: PlanPorts) {
    this.#ports = ports;
  }

  /** Resolves when the agent has the change; a failure is shown in the conversation, and the page shows the agent's plan. */
  edit(edit: PlanEdit): Promise<void> {
    this.#last = this.#last.then(() => this.#apply(edit));
    return this.#last;
  }

  /** Shows the plan that the running agent has, after an event that does not tell which steps have left it. */
  async read(): Promise<void> {
    const { transcript, client, log } = this.#ports;
    try {
      const state = await client()?.request("get_state", { omit: ["systemPrompt", "dumpTools"] });
      if (state) transcript.dispatch({ type: "host_ui", ui: { plan: panelPlan(state.todoPhases) } });
    } catch (error) {
      log.warn(`agent: the plan could not be read: ${errorMessage(error)}`);
    }
  }

  async #apply(edit: PlanEdit): Promise<void> {
    const { transcript, request } = this.#ports;
    try {
      const state = await request("get_state", { omit: ["systemPrompt", "dumpTools"] });
      const { todoPhases } = await request("set_todos", { phases: editPlan(state.todoPhases, edit) });
      transcript.dispatch({ type: "host_ui", ui: { plan: panelPlan(todoPhases) } });
    } catch (error) {
      const text = t("The plan was not changed. {0}", errorMessage(error));
      transcript.dispatch({ type: "host_notice", level: "error", text });
    }
  }
}
