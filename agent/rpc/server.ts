import * as z from "zod";
import { type CommandType, isCommandType } from "../protocol/commands.ts";
import { CommandId, type ResponseFrame } from "../protocol/envelope.ts";
import { AgentError, errorMessage } from "../protocol/errors.ts";
import { type Call, type Handlers, runHandler } from "./handlers/handler.ts";
import type { FrameReceiver } from "./wire/host-wire.ts";
import { LANES, type Lanes } from "./wire/lanes.ts";

/** Receives the frames that aren't commands. They never get a response. */
export interface ControlSink {
  handles(type: string): boolean;
  receive(type: string, frame: object): void;
}

export interface ServerOptions {
  handlers: Handlers;
  lanes: Lanes;
  control: ControlSink;
  write(frame: object): void;
  /** Ends the run for an `abort_and_prompt` on receipt; its prompt then takes its place in the lane. */
  abortForPrompt(): void;
  /** True if a text is a command of an extension. */
  isExtensionCommand(text: string): boolean;
  /** Called when a command was answered. */
  onAnswered(): void;
  /** Called when the host closed its end. */
  onEnd(): void;
}

const PARSE_ERROR = "Failed to parse command:";
const Frame = z.looseObject({});
const Id = CommandId.refine((id) => typeof id === "string" || Number.isFinite(id));

/** Reads frames and answers commands. The reader never waits for a handler; the lanes say who does. */
export class RpcServer implements FrameReceiver {
  readonly #options: ServerOptions;
  readonly #inFlight = new Set<Promise<void>>();

  constructor(options: ServerOptions) {
    this.#options = options;
  }

  /** True if every command that was received is answered. */
  get isIdle(): boolean {
    return this.#inFlight.size === 0;
  }

  /** Resolves when every command that was received is answered. */
  async idle(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight);
  }

  receive(value: unknown): void {
    const frame = Frame.safeParse(value);
    if (frame.success) this.#receiveFrame(frame.data);
    else this.refuse("expected a JSON object");
  }

  end(): void {
    this.#options.onEnd();
  }

  #receiveFrame(frame: Record<string, unknown>): void {
    const id = Id.safeParse(frame.id).data;
    const { type } = frame;
    if (typeof type !== "string") {
      this.refuse("missing command type", id);
    } else if (this.#options.control.handles(type)) {
      this.#options.control.receive(type, frame);
    } else if (isCommandType(type)) {
      this.#dispatch(type, frame, id);
    } else {
      const requestId = id === undefined ? {} : { requestId: id };
      this.#respond({
        type: "response",
        command: type,
        success: false,
        error: `Unknown command: ${type}`,
        code: "unknown_command",
        ...requestId,
      });
    }
  }

  #dispatch(type: CommandType, frame: Record<string, unknown>, id: CommandId | undefined): void {
    if (type === "abort_and_prompt") this.#options.abortForPrompt();
    const { lanes } = this.#options;
    const isPrompt = type === "prompt" || type === "abort_and_prompt";
    const isPassing = isPrompt && typeof frame.message === "string" && this.#options.isExtensionCommand(frame.message);
    const isHeld = type === "prompt" && lanes.isHolding && !isPassing;
    const work = () => this.#answer(type, frame, { id, command: type, isHeld });
    const done = lanes.run(isPassing ? "pass" : isHeld ? "now" : LANES[type], work);
    this.#inFlight.add(done);
    void done.then(() => {
      this.#inFlight.delete(done);
      this.#options.onAnswered();
    });
  }

  async #answer(type: CommandType, frame: Record<string, unknown>, call: Call): Promise<void> {
    const { id } = call;
    const head = { ...(id === undefined ? {} : { id }), type: "response", command: type } as const;
    try {
      const { data, afterResponse } = await runHandler(this.#options.handlers, type, frame, call);
      this.#respond({ ...head, success: true, ...(data === undefined ? {} : { data }) });
      afterResponse?.();
    } catch (error) {
      const code = error instanceof AgentError ? { code: error.code } : {};
      this.#respond({ ...head, success: false, error: errorMessage(error) || "Unknown error", ...code });
    }
  }

  refuse(reason: string, id?: CommandId): void {
    const head = id === undefined ? {} : { id };
    this.#respond({
      ...head,
      type: "response",
      command: "parse",
      success: false,
      error: `${PARSE_ERROR} ${reason}`,
      code: "invalid_request",
    });
  }

  #respond(frame: ResponseFrame): void {
    this.#options.write(frame);
  }
}
