import * as vscode from "vscode";
import type { ChatListener } from "../chat/chat-events.ts";

type Milestone = "hasSent" | "hasAnswered" | "hasSteered";

/** Tracks the user's first steps in this window, which check off steps of the walkthrough. */
export class Milestones {
  readonly #reached = new Set<Milestone>();

  /** The listener for each chat. */
  readonly listener: ChatListener = {
    event: (event) => {
      if (event.type === "agent_start") this.#reach("hasSent");
      if (event.type === "queue_update" && event.steering.length > 0) this.#reach("hasSteered");
    },
    questionAnswered: () => this.#reach("hasAnswered"),
  };

  #reach(milestone: Milestone): void {
    if (this.#reached.has(milestone)) return;
    this.#reached.add(milestone);
    void vscode.commands.executeCommand("setContext", `tiller.${milestone}`, true);
  }
}
