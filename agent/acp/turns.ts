import type { PromptResponse, StopReason } from "@agentclientprotocol/sdk";
import type { Disposition } from "../protocol/commands.ts";
import type { AgentEvent } from "../protocol/events.ts";
import type { AssistantMessage } from "../protocol/messages.ts";
import { type Deferred, deferred } from "../util/deferred.ts";
import { answerFailure } from "./errors.ts";

/** Sends a message of a turn to the agent. */
type SendMessage = () => Promise<{ disposition: Disposition }>;

interface Turn {
  send: SendMessage;
  response: Deferred<PromptResponse>;
  isCancelled: boolean;
}

/** The prompts of a session: each is answered when its run is over, and those that come meanwhile wait. */
export class Turns {
  readonly #abort: () => Promise<unknown>;
  readonly #waiting: Turn[] = [];
  #current: Turn | undefined;
  #isRunning = false;
  #answer: AssistantMessage | undefined;

  /** @param abort ends the run. */
  constructor(abort: () => Promise<unknown>) {
    this.#abort = abort;
  }

  /** Takes a prompt. Resolves when its run is over. */
  take(send: SendMessage): Promise<PromptResponse> {
    const turn: Turn = { send, response: deferred(), isCancelled: false };
    this.#waiting.push(turn);
    this.#next();
    return turn.response.promise;
  }

  /** Takes a message that goes to a question of the run. Resolves when the run is over. */
  join(): Promise<PromptResponse> {
    if (this.#current !== undefined) return this.#current.response.promise;
    if (!this.#isRunning) return Promise.resolve({ stopReason: "end_turn" });
    const turn: Turn = {
      send: () => Promise.resolve({ disposition: "started" }),
      response: deferred(),
      isCancelled: false,
    };
    this.#current = turn;
    return turn.response.promise;
  }

  /** Ends the present turn while its run goes on: the user has to answer something first. */
  pause(): void {
    this.#settle("end_turn");
  }

  /** Ends the run, and drops the prompts that wait. */
  async cancel(): Promise<void> {
    this.leave();
    await this.#abort();
  }

  /** The session is about to be closed, which cancels all prompts. */
  leave(): void {
    for (const turn of this.#waiting.splice(0)) turn.response.resolve({ stopReason: "cancelled" });
    if (this.#current !== undefined) this.#current.isCancelled = true;
  }

  /** The session has ended. */
  close(reason: Error): void {
    for (const turn of [this.#current, ...this.#waiting.splice(0)]) fail(turn, reason);
    this.#current = undefined;
  }

  event(event: AgentEvent): void {
    if (event.type === "agent_start") this.#isRunning = true;
    if (event.type === "message_end" && event.message.role === "assistant") this.#answer = event.message;
    if (event.type === "agent_settled") this.#over(event.aborted);
  }

  #over(isAborted: boolean): void {
    this.#isRunning = false;
    const answer = this.#answer;
    this.#answer = undefined;
    const turn = this.#current;
    this.#current = undefined;
    if (isAborted || turn?.isCancelled === true) turn?.response.resolve({ stopReason: "cancelled" });
    else if (answer?.stopReason === "error") turn?.response.reject(answerFailure(answer));
    else turn?.response.resolve({ stopReason: answer?.stopReason === "length" ? "max_tokens" : "end_turn" });
    this.#next();
  }

  #settle(stopReason: StopReason): void {
    this.#current?.response.resolve({ stopReason });
    this.#current = undefined;
  }

  #next(): void {
    if (this.#current !== undefined || this.#isRunning) return;
    const turn = this.#waiting.shift();
    if (turn === undefined) return;
    this.#current = turn;
    void this.#begin(turn);
  }

  async #begin(turn: Turn): Promise<void> {
    try {
      const { disposition } = await turn.send();
      if (turn.isCancelled) await this.#abort(); // it came before the run had begun
      if (disposition !== "handled" || this.#current !== turn) return;
      this.#settle(turn.isCancelled ? "cancelled" : "end_turn");
    } catch (error) {
      fail(turn, error);
      if (this.#current === turn) this.#current = undefined;
    }
    this.#next();
  }
}

/** Answers the prompt with the reason why it failed; a cancelled one has nothing to fail at. */
function fail(turn: Turn | undefined, reason: unknown): void {
  if (turn?.isCancelled === true) turn.response.resolve({ stopReason: "cancelled" });
  else turn?.response.reject(reason);
}
