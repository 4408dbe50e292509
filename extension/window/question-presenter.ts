import { setTimeout } from "node:timers/promises";
import type { Chat } from "../chat/chat.ts";
import type { Answer, Question } from "../core/connection/question-queue.ts";
import { ApprovalDialogs, type Arrival } from "../host/questions/approval-dialogs.ts";
import { presentQuestion, showsItself } from "../host/questions/dialogs.ts";
import type { ChatSurroundings } from "./chat-surroundings.ts";

/** Time after an answer in which the focus may still be on its way back, in milliseconds. */
const FLOW_MS = 2_000;
/** Time that a page's message about a pressed key may take to arrive, in milliseconds. */
const KEY_MESSAGE_MS = 200;

/** Shows the questions of one chat, depending on where the user is at that moment. */
export class QuestionPresenter {
  readonly #around: ChatSurroundings;
  readonly #approvals = new ApprovalDialogs();
  #answeredAt = 0;

  constructor(around: ChatSurroundings) {
    this.#around = around;
  }

  /** @param isWanted true when the user asked to see the question. */
  async present(chat: Chat, question: Question, signal: AbortSignal, isWanted: boolean): Promise<Answer | undefined> {
    const { attention, editors } = this.#around;
    // The first key of a message may have been pressed just before the question arrived.
    if (!isWanted && showsItself(question, this.#arrivalOf(chat, question, isWanted))) await setTimeout(KEY_MESSAGE_MS);
    if (signal.aborted) return undefined;
    const arrival = this.#arrivalOf(chat, question, isWanted);
    if (!isWanted && showsItself(question, arrival)) attention.questionCame(chat, question.request.id, true);
    const answer = await presentQuestion(question, { editors, approvals: this.#approvals }, arrival, signal);
    if (answer !== undefined) this.#answeredAt = Date.now();
    return answer;
  }

  #arrivalOf(chat: Chat, question: Question, isWanted: boolean): Arrival {
    const { attention, keyboard, pagesOf } = this.#around;
    const isTyping = keyboard.page?.isTyping === true;
    const isAnswering = !isTyping && Date.now() - this.#answeredAt < FLOW_MS;
    return {
      isWanted,
      isAnswering,
      isFree: (keyboard.page !== undefined && !isTyping) || isAnswering,
      isChatVisible: pagesOf(chat).some((page) => page.isVisible),
      mayNotify: () => attention.questionCame(chat, question.request.id, false),
      showChat: () => attention.showChat(chat),
    };
  }
}
