import * as vscode from "vscode";
import type { PanelUi } from "../../webview/protocol/ui.ts";
import type { ChatListener } from "../chat/chat-events.ts";

const MILESTONES = ["hasModel", "hasSent", "hasAnswered", "hasSteered"] as const;
type Milestone = (typeof MILESTONES)[number];

/** Tracks the user's first steps, in any window, which check off steps of the walkthrough. */
export class Milestones {
  readonly #memory: vscode.Memento;
  readonly #reached = new Set<Milestone>();

  /** The listener for each chat. */
  readonly listener: ChatListener = {
    event: (event) => {
      if (event.type === "agent_start") this.#reach("hasSent");
      if (event.type === "queue_update" && event.steering.length > 0) this.#reach("hasSteered");
    },
    questionAnswered: () => this.#reach("hasAnswered"),
  };

  /** @param memory keeps what was reached before. */
  constructor(memory: vscode.Memento) {
    this.#memory = memory;
    for (const milestone of MILESTONES) if (memory.get(keyOf(milestone)) === true) this.#reach(milestone);
  }

  /** Notes what a chat shows: one that needs no set-up has a model. */
  shown({ modelLabel, banner, setup }: PanelUi): void {
    if (modelLabel !== "" && banner === undefined && setup === undefined) this.#reach("hasModel");
  }

  #reach(milestone: Milestone): void {
    if (this.#reached.has(milestone)) return;
    this.#reached.add(milestone);
    void this.#memory.update(keyOf(milestone), true);
    void vscode.commands.executeCommand("setContext", `tiller.${milestone}`, true);
  }
}

function keyOf(milestone: Milestone): string {
  return `tiller.milestone.${milestone}`;
}
