import * as z from "zod";
import type { RunLimits } from "../../session/run-limits.ts";
import type { HeadlessPrompt } from "./attachments.ts";
import { askAgain, type OutputSchema } from "./output-schema.ts";

const STATE_ID = "state";
/** The model is asked this often for an answer that fits the schema, beside the first time. */
const MAX_REPEATS = 2;

const Frame = z.looseObject({ type: z.string() });
type Frame = z.infer<typeof Frame>;

const State = z.object({ sessionId: z.string(), cwd: z.string(), systemPrompt: z.string().optional() });
const Answer = z.object({
  id: z.string().optional(),
  success: z.boolean(),
  error: z.string().optional(),
  data: z.unknown().optional(),
});
const Handled = z.object({ disposition: z.literal("handled") });
const Message = z.object({ role: z.string() });
const AssistantMessage = z.object({
  role: z.literal("assistant"),
  stopReason: z.string(),
  errorMessage: z.string().optional(),
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional(), note: z.string().optional() })),
});
const MessageEnd = z.object({ message: z.union([AssistantMessage, Message]) });
const Notice = z.object({ method: z.literal("notify"), message: z.string() });
const Dialog = z.object({ id: z.string(), method: z.enum(["select", "confirm", "input", "editor"]) });

/** The work of a headless process. */
export interface HeadlessJob {
  prompts: readonly HeadlessPrompt[];
  /** Standard output carries the last answer, the session and its events, or the system prompt. */
  output: "text" | "json" | "systemPrompt";
  limits: RunLimits;
  /** The schema that the last answer has to fit. */
  schema: OutputSchema | undefined;
}

/** The ways of a headless run to the agent and to standard output. */
export interface HeadlessPorts {
  say(command: object): void;
  /** No more commands come. */
  end(): void;
  write(text: string): void;
}

/**
 * Sends the messages one after the other, seen from the frames that the agent writes, and ends. Questions of extensions are answered with
 * no. After a message that is refused or whose answer fails, the others are not sent.
 */
export class HeadlessRun {
  readonly #job: HeadlessJob;
  readonly #ports: HeadlessPorts;
  readonly #waiting: HeadlessPrompt[];
  #answer: z.infer<typeof AssistantMessage> | undefined;
  #repeats = 0;
  /** True after a message that was refused, or whose answer failed. */
  hasFailed = false;

  constructor(job: HeadlessJob, ports: HeadlessPorts) {
    this.#job = job;
    this.#waiting = [...job.prompts];
    this.#ports = ports;
  }

  /** Takes a line that the agent wrote. */
  line(line: string): void {
    const { data: frame } = Frame.safeParse(JSON.parse(line));
    if (frame === undefined) return;
    switch (frame.type) {
      case "ready":
        this.#askForState();
        return;
      case "response":
        this.#answered(frame);
        return;
      case "extension_ui_request":
        this.#asked(frame);
        return;
      default:
        if (this.#job.output === "json") this.#ports.write(`${line}\n`);
        if (frame.type === "message_end") this.#take(MessageEnd.safeParse(frame).data?.message);
        if (frame.type === "agent_settled") this.#settled();
    }
  }

  #askForState(): void {
    const omit = this.#job.output === "systemPrompt" ? ["dumpTools"] : ["systemPrompt", "dumpTools"];
    this.#ports.say({ id: STATE_ID, type: "get_state", omit });
  }

  /** A message of an extension may stand behind the answer; any other message begins something new. */
  #take(message: z.infer<typeof MessageEnd>["message"] | undefined): void {
    if (message?.role !== "custom") this.#answer = AssistantMessage.safeParse(message).data;
  }

  #answered(frame: Frame): void {
    const answer = Answer.parse(frame);
    if (answer.id === STATE_ID) this.#begin(State.parse(answer.data));
    else if (!answer.success) this.#fail(answer.error ?? "an extension blocked the message");
    else if (Handled.safeParse(answer.data).success) this.#next();
  }

  #begin({ sessionId: id, cwd, systemPrompt = "" }: z.infer<typeof State>): void {
    const { output } = this.#job;
    const header = { type: "session", version: 3, id, timestamp: new Date().toISOString(), cwd };
    if (output === "json") this.#ports.write(`${JSON.stringify(header)}\n`);
    if (output === "systemPrompt") this.#ports.write(`${systemPrompt}\n`);
    this.#next();
  }

  #asked(frame: Frame): void {
    const notice = Notice.safeParse(frame).data;
    if (notice !== undefined) console.error(notice.message);
    const dialog = Dialog.safeParse(frame).data;
    if (dialog !== undefined) this.#ports.say({ type: "extension_ui_response", id: dialog.id, cancelled: true });
  }

  #settled(): void {
    const problem = this.#problem();
    if (problem === undefined) this.#next();
    else this.#fail(problem);
  }

  /** Returns what is wrong with the end of a run. */
  #problem(): string | undefined {
    const answer = this.#answer;
    const isWhole = answer !== undefined && answer.stopReason !== "toolUse";
    if (!isWhole && this.#job.limits.reached !== undefined) return this.#job.limits.reached;
    if (answer?.stopReason === "error") return answer.errorMessage ?? "The model failed.";
    return answer?.stopReason === "aborted" ? "The run was interrupted." : undefined;
  }

  #next(): void {
    const prompt = this.#waiting.shift();
    if (prompt === undefined) this.#finish();
    else this.#send(prompt);
  }

  #send({ message, images }: HeadlessPrompt): void {
    const { reached } = this.#job.limits;
    if (reached !== undefined) this.#fail(reached);
    else this.#ports.say({ type: "prompt", message, ...(images.length === 0 ? {} : { images }) });
  }

  /** All messages are answered; the last answer may have to be given again. */
  #finish(): void {
    const { schema, output } = this.#job;
    const text = textOf(this.#answer, ["sources"]);
    const checked = schema?.check(textOf(this.#answer));
    if (checked !== undefined && "problems" in checked) {
      this.#repeat(checked.problems);
      return;
    }
    const result = checked?.json ?? text;
    if (output === "text" && result !== "") this.#ports.write(`${result}\n`);
    this.#ports.end();
  }

  #repeat(problems: readonly string[]): void {
    this.#repeats++;
    if (this.#repeats > MAX_REPEATS) this.#fail(["The answer doesn't match the schema:", ...problems].join("\n"));
    else this.#send({ message: askAgain(problems), images: [] });
  }

  #fail(reason: string): void {
    console.error(`Error: ${reason}`);
    this.hasFailed = true;
    this.#ports.end();
  }
}

/** @param notes the notes to include. */
function textOf(answer: z.infer<typeof AssistantMessage> | undefined, notes: readonly string[] = []): string {
  const texts = answer?.content.map(({ type, text, note }) => {
    const isWanted = type === "text" && (note === undefined || notes.includes(note));
    return isWanted ? (text ?? "") : "";
  });
  return (texts ?? []).join("").trim();
}
