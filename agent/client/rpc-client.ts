import { LineSplitter } from "../protocol/line-splitter.ts";
import type { AgentProcess } from "./agent-process.ts";
import { AgentExited, ConnectionClosed } from "./client-errors.ts";
import { FrameClient, type RpcListeners } from "./frame-client.ts";

/** Commands out, answers and frames in, over the pipes of one agent process. */
export class RpcClient extends FrameClient {
  readonly #process: AgentProcess;
  #isClosing = false;

  constructor(process: AgentProcess, listeners: RpcListeners) {
    super(lineWriter(process, listeners), listeners);
    this.#process = process;
    const splitter = new LineSplitter({
      line: (text) => this.#takeLine(text, listeners),
      overflow: (maxBytes) =>
        listeners.problem?.({ kind: "unreadableLine", error: new Error(`line over ${maxBytes} bytes`) }),
    });
    process.stdout.on("data", (chunk: Buffer) => splitter.push(chunk));
    // Without stdout there is nothing left to say to each other; a process that lives on would be an orphan.
    process.stdout.once("end", () => {
      splitter.end();
      void process.stop();
    });
    void process.exited.then((exit) => this.finish(this.#isClosing ? new ConnectionClosed() : new AgentExited(exit)));
  }

  /** Closes the connection and stops the process; resolves when it is gone. Pending requests reject with `ConnectionClosed`. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.rejectAll(new ConnectionClosed());
    await this.#process.stop();
  }

  #takeLine(text: string, { wire, problem }: RpcListeners): void {
    if (text.trim() === "") return;
    wire?.("in", text);
    let frame: unknown;
    try {
      frame = JSON.parse(text);
    } catch (error) {
      problem?.({ kind: "unreadableLine", error });
      return;
    }
    this.take(frame);
  }
}

/** Writes one frame after the other, at the speed at which the agent reads. */
function lineWriter({ stdin, exited }: AgentProcess, { wire }: RpcListeners): (frame: object) => void {
  let writing: Promise<void> = Promise.resolve();
  return (frame) => {
    writing = writing.then(async () => {
      if (!stdin.writable) return;
      const text = JSON.stringify(frame);
      wire?.("out", text);
      if (stdin.write(`${text}\n`)) return;
      await Promise.race([new Promise<void>((resolve) => stdin.once("drain", resolve)), exited]);
    });
  };
}
