import type { UiRequest } from "../../agent/protocol/dialogs.ts";
import { errorMessage } from "../../agent/protocol/errors.ts";
import { HostQuestions } from "../core/connection/host-questions.ts";
import { type Answer, type Question, QuestionQueue } from "../core/connection/question-queue.ts";
import type { ChatEvents } from "./chat-events.ts";
import type { ChatPorts } from "./chat-ports.ts";
import type { TranscriptStore } from "./transcript-store.ts";

interface QuestionParts {
  readonly transcript: TranscriptStore;
  readonly ports: ChatPorts;
  readonly events: ChatEvents;
  /** Sends the agent the answer to its question. */
  reply(id: string, answer: Answer): void;
  /** Called when the user wants commands to run in the sandbox from now on. */
  sandboxChosen(): void;
}

/** The questions of a chat, both the agent's and the editor's own. */
export class ChatQuestions {
  readonly queue: QuestionQueue;
  readonly host: HostQuestions;
  readonly #parts: QuestionParts;

  constructor(parts: QuestionParts) {
    const { ports, reply } = parts;
    this.#parts = parts;
    this.queue = new QuestionQueue({
      present: ports.present,
      changed: (question) => this.#changed(question),
      complete: (id, answer) => {
        const edited = answer.type === "value" ? ports.editedOf(id) : undefined;
        return edited === undefined ? answer : { ...answer, edited };
      },
      reply: (id, answer) => {
        if (!this.host.take(id, answer)) reply(id, answer);
      },
      failed: (question, error) =>
        ports.log.error(`A ${question.request.method} dialog failed: ${errorMessage(error)}`),
    });
    this.host = new HostQuestions({
      add: (request) => this.take(request),
      withdraw: (id) => this.queue.withdraw(id),
    });
  }

  /** Handles a question or message of the agent. */
  take(request: UiRequest): void {
    if (request.method === "notify" && request.fallbackFor === "open_url") return;
    this.#parts.transcript.dispatch(request);
    switch (request.method) {
      case "select":
      case "confirm":
      case "input":
      case "editor":
        this.queue.add(request);
        break;
      case "cancel":
        this.queue.withdraw(request.targetId);
        break;
      default:
        this.#parts.ports.tell(request);
    }
  }

  /** Withdraws all questions, since the agent is gone. */
  endAll(): void {
    this.queue.withdrawAll();
    this.host.endAll();
  }

  #changed({ request, state, answer }: Question): void {
    const { events, transcript, ports } = this.#parts;
    if (state === "answered") events.questionAnswered();
    if (request.method === "select" && answer !== undefined && request.approval?.sandbox?.option === answer) {
      this.#parts.sandboxChosen();
    }
    if (state !== "pending") {
      const isSecret = request.method === "input" && request.password === true;
      const shown = answer === undefined || isSecret ? {} : { answer };
      transcript.dispatch({ type: "host_dialog_settled", requestId: request.id, state, ...shown });
    }
    ports.questionsChanged(this.queue.pending);
  }
}
