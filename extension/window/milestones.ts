import * as vscode from "vscode";
import type { ChatListener } from "../chat/chat-events.ts";

type Milestone = "hasSent" | "hasAnswered" | "hasSteered";

/** What the user has done with Tiller in this window: steps of the walkthrough are ticked off by it. */
export class Milestones {
  readonly #reached = new Set<Milestone>();

  /** What has to follow each chat. */
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
