import { errorMessage } from "../../agent/protocol/errors.ts";
import { t } from "../../webview/l10n.ts";
import type { PlanEdit } from "../../webview/protocol/ui.ts";
import { panelPlan } from "../core/transcript/plan.ts";
import type { Chat } from "./chat.ts";
import { editPlan } from "./plan-edits.ts";

/** Carries out what the user does to the plan, one after the other, each on the plan as the agent has it by then. */
export class PlanEditor {
  readonly #chat: Chat;
  #last: Promise<void> = Promise.resolve();

  constructor(chat: Chat) {
    this.#chat = chat;
  }

  /** Resolves when the agent has the change; a failure is told in the conversation, and the page shows what the agent has. */
  edit(edit: PlanEdit): Promise<void> {
    this.#last = this.#last.then(() => this.#apply(edit));
    return this.#last;
  }

  async #apply(edit: PlanEdit): Promise<void> {
    const { transcript } = this.#chat;
    try {
      const state = await this.#chat.request("get_state", { omit: ["systemPrompt", "dumpTools"] });
      const { todoPhases } = await this.#chat.request("set_todos", { phases: editPlan(state.todoPhases, edit) });
      transcript.dispatch({ type: "host_ui", ui: { plan: panelPlan(todoPhases) } });
    } catch (error) {
      const text = t("The plan was not changed. {0}", errorMessage(error));
      transcript.dispatch({ type: "host_notice", level: "error", text });
    }
  }
}
