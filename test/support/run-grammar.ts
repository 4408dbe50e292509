import { isDeepStrictEqual } from "node:util";
import { asRecord, type Frame } from "./spawn-agent.ts";
import { StreamedBlocks } from "./streamed-blocks.ts";

/** Frames that may come at any time and have no place in a run. */
const FREE: ReadonlySet<string> = new Set([
  "ready",
  "response",
  "changes_update",
  "extension_error",
  "extension_ui_request",
  "host_tool_call",
  "host_tool_cancel",
  "host_model_request",
  "host_model_cancel",
  "bash_execution_update",
  "background_changed",
  "session_info_changed",
  "session_changed",
  "thinking_level_changed",
  "entry_appended",
  "todo_auto_clear",
]);

type Message = Record<string, unknown>;

/**
 * Checks that frames are whole runs, one after the other, in the order that the protocol promises; between them compactions may
 * stand.
 * @returns how many runs there were. @throws Error that names the first frame out of place.
 */
export function checkRuns(frames: readonly Frame[]): number {
  const reader = new FrameReader(frames);
  let runs = readCompactions(reader);
  while (!reader.isAtEnd) {
    readRun(reader);
    runs += 1 + readCompactions(reader);
  }
  return runs;
}

/** Hands out the frames of runs; queue updates are passed over, but remembered. */
class FrameReader {
  readonly #frames: readonly Frame[];
  #next = 0;
  #sawQueueUpdate = false;
  /** A rule ended the answer that was read last; what follows is held against it. */
  isInterrupted = false;

  constructor(frames: readonly Frame[]) {
    this.#frames = frames;
    this.#skip();
  }

  get isAtEnd(): boolean {
    return this.#next >= this.#frames.length;
  }

  /** True when a `queue_update` came directly before the next frame. */
  get isBehindQueueUpdate(): boolean {
    return this.#sawQueueUpdate;
  }

  peek(): Frame {
    return this.#frames[this.#next] ?? { type: "end of frames" };
  }

  is(type: string): boolean {
    return this.peek().type === type;
  }

  take(type: string): Frame {
    const frame = this.peek();
    if (frame.type !== type) this.fail(`expected ${type}`);
    this.#next++;
    this.#sawQueueUpdate = false;
    this.#skip();
    return frame;
  }

  takeIf(type: string): Frame | undefined {
    return this.is(type) ? this.take(type) : undefined;
  }

  require(condition: boolean, problem: string): void {
    if (!condition) this.fail(problem);
  }

  fail(problem: string): never {
    const from = Math.max(0, this.#next - 12);
    const around = this.#frames.slice(from, this.#next + 3).map((frame, index) => {
      const mark = from + index === this.#next ? ">" : " ";
      return `${mark} ${from + index} ${JSON.stringify(frame).slice(0, 200)}`;
    });
    throw new Error(`Frame ${this.#next} is out of place: ${problem}.\n${around.join("\n")}`);
  }

  #skip(): void {
    for (let frame = this.#frames[this.#next]; frame !== undefined; frame = this.#frames[++this.#next]) {
      if (frame.type === "queue_update") this.#sawQueueUpdate = true;
      else if (!FREE.has(frame.type)) return;
    }
  }
}

function readRun(reader: FrameReader): void {
  let isFirst = true;
  while (reader.is("agent_start")) {
    const end = readLowRun(reader, isFirst);
    isFirst = false;
    if (reader.isInterrupted) {
      reader.require(end.willContinue === true && end.willRetry === false, "a rule interrupts, and the run goes on");
      continue;
    }
    reader.require(end.willRetry === reader.is("auto_retry_start"), "agent_end.willRetry does not tell what comes");
    if (reader.takeIf("auto_retry_start") !== undefined && reader.is("agent_start")) continue;
    const retries = reader.takeIf("auto_retry_end");
    if (retries !== undefined) reader.require(retries.success === false, "retries end well only inside a low run");
    readCompactions(reader);
    reader.takeIf("todo_reminder");
  }
  reader.take("agent_settled");
}

/** @returns the number of prompts that a manual compaction held and then dropped; each is settled without a run. */
function readCompactions(reader: FrameReader): number {
  let dropped = 0;
  while (reader.is("compaction_start")) {
    const isAutomatic = reader.take("compaction_start").reason !== "manual";
    if (isAutomatic) reader.take("auto_compaction_start");
    for (;;) {
      if (!isAutomatic && reader.takeIf("agent_settled") !== undefined) dropped++;
      else if (reader.peek().type.startsWith("summarization_retry_")) reader.take(reader.peek().type);
      else break;
    }
    if (isAutomatic) reader.take("auto_compaction_end");
    reader.take("compaction_end");
  }
  return dropped;
}

function readLowRun(reader: FrameReader, isFirst: boolean): Frame {
  reader.take("agent_start");
  const messages: Message[] = [];
  let canOpenUnannounced = isFirst;
  do {
    readTurn(reader, messages, canOpenUnannounced);
    canOpenUnannounced = false;
    readCompactions(reader);
  } while (reader.is("turn_start"));
  const { messages: told } = reader.peek();
  reader.require(isDeepStrictEqual(told, messages), "agent_end.messages are not the messages of the low run");
  return reader.take("agent_end");
}

function readTurn(reader: FrameReader, messages: Message[], canOpenUnannounced: boolean): void {
  reader.take("turn_start");
  if (reader.isInterrupted) {
    reader.require(asRecord(reader.peek().message).customType === "ttsr-injection", "expected the text of the rule");
    reader.isInterrupted = false;
  }
  for (let isOpening = canOpenUnannounced; nextRole(reader) === "user" || nextRole(reader) === "custom"; ) {
    const isAnnounced = isOpening || reader.isBehindQueueUpdate || nextRole(reader) === "custom";
    reader.require(isAnnounced, "a queued message is delivered without its queue_update");
    isOpening = false;
    messages.push(readMessage(reader));
  }
  const answer = readAnswer(reader);
  messages.push(answer);
  const retries = reader.takeIf("auto_retry_end");
  if (retries !== undefined) {
    reader.require(retries.success === true && answer.stopReason !== "error", "retries end well with an answer");
  }
  const results = answer.stopReason === "error" ? [] : readToolBatch(reader, toolCallIds(answer));
  messages.push(...results);
  const { message, toolResults } = reader.peek();
  reader.require(isDeepStrictEqual(message, answer), "turn_end.message is not the answer");
  reader.require(isDeepStrictEqual(toolResults, results), "turn_end.toolResults are not the results in call order");
  reader.take("turn_end");
}

function readMessage(reader: FrameReader): Message {
  const started = asRecord(reader.take("message_start").message);
  const ended = asRecord(reader.take("message_end").message);
  reader.require(started.role === ended.role, "a message ends with another role");
  return ended;
}

function readAnswer(reader: FrameReader): Message {
  reader.require(nextRole(reader) === "assistant", "expected an assistant message");
  reader.take("message_start");
  const blocks = new StreamedBlocks();
  while (reader.is("message_update")) {
    const problem = blocks.add(reader.peek());
    if (problem !== undefined) reader.fail(problem);
    reader.take("message_update");
  }
  reader.isInterrupted = reader.takeIf("ttsr_triggered") !== undefined;
  reader.require(nextRole(reader) === "assistant", "expected the end of the assistant message");
  const message = asRecord(reader.peek().message);
  const isCutShort = message.stopReason === "aborted";
  reader.require(isCutShort || !reader.isInterrupted, "an answer that a rule interrupts ends as aborted");
  const problem = blocks.compare(message);
  if (problem !== undefined) reader.fail(problem);
  reader.take("message_end");
  return message;
}

/** Reads all calls of an answer. @returns the result messages in block order. */
function readToolBatch(reader: FrameReader, ids: readonly string[]): Message[] {
  const started: string[] = [];
  const ended = new Set<string>();
  const results: Message[] = [];
  while (results.length < ids.length) {
    const frame = reader.peek();
    const id = String(frame.toolCallId ?? asRecord(frame.message).toolCallId);
    switch (frame.type) {
      case "tool_execution_start":
        reader.require(id === ids[started.length], "calls do not start in block order");
        started.push(id);
        break;
      case "tool_execution_update":
        reader.require(started.includes(id) && !ended.has(id), "an update of a call that does not run");
        break;
      case "tool_execution_end":
        reader.require(started.includes(id) && !ended.has(id), "the end of a call that does not run");
        ended.add(id);
        break;
      case "message_start":
        reader.require(id === ids[results.length] && ended.has(id), "results do not come in block order");
        break;
      case "message_end":
        reader.require(id === ids[results.length], "results do not end in block order");
        results.push(asRecord(frame.message));
        break;
      default:
        reader.fail("expected a frame of a tool batch");
    }
    reader.take(frame.type);
  }
  return results;
}

function toolCallIds({ content }: Message): string[] {
  if (!Array.isArray(content)) return [];
  return content
    .map((block: unknown) => asRecord(block))
    .flatMap(({ type, id }) => (type === "toolCall" ? [String(id)] : []));
}

function nextRole(reader: FrameReader): unknown {
  const { type, message } = reader.peek();
  return type === "message_start" || type === "message_end" ? asRecord(message).role : undefined;
}
