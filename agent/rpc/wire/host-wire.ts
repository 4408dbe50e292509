import type { Readable } from "node:stream";
import { errorMessage } from "../../protocol/errors.ts";
import { LineSplitter } from "../../protocol/line-splitter.ts";
import { clipNesting } from "../../util/nesting.ts";
import { FrameWriter } from "./frame-writer.ts";
import type { RealStdout } from "./stdout-guard.ts";

/** Takes frames to the host. Frames leave in the order they were written. */
export interface FrameSink {
  /** True if so much is waiting that producers should pause. */
  readonly isBlocked: boolean;
  /** True if so much is unread that producers that can't pause have to drop output. */
  readonly isFull: boolean;
  write(frame: object): void;
  /** Resolves when the host has read enough for more to be produced; undefined when nothing need wait. */
  ready(): Promise<void> | undefined;
  /** Resolves when everything was handed to the host, or after `timeoutMs`. */
  finish(timeoutMs: number): Promise<void>;
}

/** Receives what the host sends. */
export interface FrameReceiver {
  /** @param value what the host sent, unchecked. */
  receive(value: unknown): void;
  /** Called for input that is no JSON. */
  refuse(reason: string): void;
  /** Called once, when the host sends nothing more. */
  end(): void;
}

/** The way to the host and back. */
export interface HostWire {
  /** @param onClosed called once when nothing more can be written: the host is gone, or `failure` says why. */
  open(onClosed: (failure: Error | undefined) => void): FrameSink;
  /** Begins to read. */
  listen(receiver: FrameReceiver): void;
  /** Reads no more. */
  pause(): void;
}

/** The way to a host at the other end of two pipes. */
export function pipeWire(input: Readable, stdout: RealStdout): HostWire {
  return {
    open: (onClosed) => new FrameWriter(stdout, onClosed),
    listen: (receiver) => readLines(input, receiver),
    pause: () => void input.pause(),
  };
}

function readLines(input: Readable, receiver: FrameReceiver): void {
  const splitter = new LineSplitter({
    line: (text) => readLine(text, receiver),
    overflow: (maxBytes) => receiver.refuse(`line exceeds ${maxBytes} bytes`),
  });
  let isOver = false;
  const end = () => {
    if (isOver) return;
    isOver = true;
    splitter.end();
    receiver.end();
  };
  input.on("data", (chunk: Buffer) => splitter.push(chunk));
  input.once("end", end);
  input.once("close", end);
  input.once("error", ({ message }) => {
    console.error(`Couldn't read standard input: ${message}`);
    end();
  });
}

function readLine(text: string, receiver: FrameReceiver): void {
  if (text.trim() === "") return;
  let value: unknown;
  try {
    value = clipNesting(JSON.parse(text));
  } catch (error) {
    receiver.refuse(errorMessage(error));
    return;
  }
  receiver.receive(value);
}
