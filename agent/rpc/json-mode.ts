import { PassThrough } from "node:stream";
import * as z from "zod";
import { LineSplitter } from "../protocol/line-splitter.ts";
import type { RpcProcess } from "./load/prepare.ts";

const RUN_FAILED = 1;
const STATE_ID = "state";

const Frame = z.looseObject({ type: z.string() });
type Frame = z.infer<typeof Frame>;

const State = z.object({ sessionId: z.string(), cwd: z.string() });
const Answer = z.object({
  id: z.string().optional(),
  success: z.boolean(),
  error: z.string().optional(),
  data: z.unknown().optional(),
});
const Handled = z.object({ disposition: z.literal("handled") });
const FailedMessage = z.object({
  message: z.object({ role: z.literal("assistant"), stopReason: z.enum(["error", "aborted"]) }),
});
const Notice = z.object({ method: z.literal("notify"), message: z.string() });
const Dialog = z.object({ id: z.string(), method: z.enum(["select", "confirm", "input", "editor"]) });

/**
 * Makes RPC mode into a program that says the prompts of its command line, one after the other, and ends: stdout carries a line about the
 * session and then the events, stderr what is for people. Questions of extensions are answered with a no. A prompt that is refused, or an
 * answer that fails, makes the exit code 1; the prompts behind it are not said.
 */
export function jsonModeProcess(rpc: RpcProcess, prompts: readonly string[]): RpcProcess {
  const input = new PassThrough();
  const run = new JsonRun(prompts, {
    say: (command) => input.write(`${JSON.stringify(command)}\n`),
    end: () => input.end(),
    write: (text) => rpc.stdout.write(text),
  });
  const splitter = new LineSplitter({ line: (line) => run.line(line), overflow: () => undefined });
  return {
    ...rpc,
    input,
    stdout: {
      write(text) {
        splitter.push(Buffer.from(text));
        return true;
      },
      get pendingBytes() {
        return rpc.stdout.pendingBytes;
      },
      onDrain: rpc.stdout.onDrain,
      onError: rpc.stdout.onError,
    },
    exit: (code) => rpc.exit(code === 0 && run.hasFailed ? RUN_FAILED : code),
  };
}

interface JsonRunPorts {
  say(command: object): void;
  /** No more commands come. */
  end(): void;
  write(text: string): void;
}

/** One pass through the prompts, seen from the frames that the agent writes. */
class JsonRun {
  readonly #waiting: string[];
  readonly #ports: JsonRunPorts;
  hasFailed = false;

  constructor(prompts: readonly string[], ports: JsonRunPorts) {
    this.#waiting = [...prompts];
    this.#ports = ports;
  }

  line(line: string): void {
    const { data: frame } = Frame.safeParse(JSON.parse(line));
    if (frame === undefined) return;
    switch (frame.type) {
      case "ready":
        this.#ports.say({ id: STATE_ID, type: "get_state", omit: ["systemPrompt", "dumpTools"] });
        return;
      case "response":
        this.#answered(frame);
        return;
      case "extension_ui_request":
        this.#asked(frame);
        return;
      default:
        this.#ports.write(`${line}\n`);
        if (frame.type === "message_end") this.hasFailed = FailedMessage.safeParse(frame).success;
        if (frame.type === "agent_settled") this.#next();
    }
  }

  #answered(frame: Frame): void {
    const answer = Answer.parse(frame);
    if (answer.id === STATE_ID) {
      const { sessionId, cwd } = State.parse(answer.data);
      const header = { type: "session", version: 3, id: sessionId, timestamp: new Date().toISOString(), cwd };
      this.#ports.write(`${JSON.stringify(header)}\n`);
      this.#next();
    } else if (!answer.success) {
      console.error(`Error: ${answer.error ?? "the prompt was refused"}`);
      this.hasFailed = true;
      this.#ports.end();
    } else if (Handled.safeParse(answer.data).success) this.#next();
  }

  #asked(frame: Frame): void {
    const notice = Notice.safeParse(frame).data;
    if (notice !== undefined) console.error(notice.message);
    const dialog = Dialog.safeParse(frame).data;
    if (dialog !== undefined) this.#ports.say({ type: "extension_ui_response", id: dialog.id, cancelled: true });
  }

  #next(): void {
    const message = this.hasFailed ? undefined : this.#waiting.shift();
    if (message === undefined) this.#ports.end();
    else this.#ports.say({ type: "prompt", message });
  }
}
