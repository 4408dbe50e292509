import * as z from "zod";
import type { Delivery, LoopEvent } from "../loop/loop-host.ts";
import { type InstructionFile, instructionBlock } from "../prompt/instruction-file.ts";
import type { Instructions } from "../prompt/instructions.ts";
import type { InstructionFileState } from "../protocol/commands.ts";
import type { AgentMessage, CustomMessage } from "../protocol/messages.ts";
import type { AnyTool } from "../tools/tool.ts";
import { type RanCall, touchedPaths } from "./call-paths.ts";

const MESSAGE_TYPE = "instructions";

/** Instructions of one message that together are longer than this, in UTF-16 units, are told after the next calls. */
const MAX_MESSAGE_LENGTH = 100_000;

const Details = z.lazy(() => z.object({ files: z.array(z.string()) }));

interface TouchedOptions {
  instructions(): Instructions;
  cwd: string;
  tool(name: string): AnyTool | undefined;
  /** The messages that the model sees. */
  messages(): readonly AgentMessage[];
}

/**
 * Tells the model the instructions of folders and files that its tools have come to, each once: in a message after their results, so that the
 * start of the request stays what it was. What a compaction has summarized away is told again when the agent comes back.
 */
export class TouchedInstructions {
  readonly #options: TouchedOptions;
  /** Calls whose paths were not looked at, by their id, in the order in which they began. */
  readonly #calls = new Map<string, { args: unknown; ran?: RanCall }>();
  /** Found, but not told yet. */
  #waiting: InstructionFile[] = [];
  /** True after calls: nothing else makes the model answer once more. */
  #isDue = false;

  constructor(options: TouchedOptions) {
    this.#options = options;
  }

  /** Notes the calls that run. */
  follow(event: LoopEvent): void {
    if (event.type === "tool_execution_start") this.#calls.set(event.toolCallId, { args: event.args });
    if (event.type !== "tool_execution_end") return;
    const call = this.#calls.get(event.toolCallId);
    const tool = this.#options.tool(event.toolName);
    const hasRun = event.durationMs !== undefined;
    if (call !== undefined && tool !== undefined && hasRun) call.ran = { tool, args: call.args };
  }

  /** Finds the instructions for what was noted. */
  async look(): Promise<void> {
    if (this.#calls.size === 0) return;
    const ran = [...this.#calls.values()].flatMap((call) => call.ran ?? []);
    this.#calls.clear();
    const { cwd, instructions, messages } = this.#options;
    this.#isDue = true;
    const found = new Map(this.#waiting.map((file) => [file.path, file]));
    for (const call of ran) {
      for (const { path, isFolder } of await touchedPaths(call, cwd)) {
        for (const file of await instructions().forPath(path, isFolder)) found.set(file.path, file);
      }
    }
    if (found.size === 0) return;
    const told = toldFiles(messages());
    for (const { path } of instructions().always) told.add(path);
    this.#waiting = [...found.values()].filter(({ path }) => !told.has(path));
  }

  /** Takes the message with what was found; empty if there is nothing to tell. */
  take(): Delivery[] {
    const isDue = this.#isDue;
    this.#isDue = false;
    if (!isDue || this.#waiting.length === 0) return [];
    let length = 0;
    const fitting = this.#waiting.findIndex(({ text }, at) => {
      length += text.length;
      return at > 0 && length > MAX_MESSAGE_LENGTH;
    });
    const files = this.#waiting.splice(0, fitting === -1 ? this.#waiting.length : fitting);
    return [{ message: instructionMessage(files) }];
  }

  /** Returns the files that the model has, and those that it may get. */
  list(): InstructionFileState[] {
    const { always, scoped, described } = this.#options.instructions();
    const sent = new Set([...always.map(({ path }) => path), ...toldFiles(this.#options.messages())]);
    const scopes = new Map(scoped.map(({ file: { path, globs = [] } }) => [path, [...globs]]));
    const listed = (path: string, state: InstructionFileState["state"]): InstructionFileState => {
      const globs = scopes.get(path);
      return globs === undefined ? { path, state } : { path, state, globs };
    };
    return [
      ...[...sent].map((path) => listed(path, "sent")),
      ...[...scopes.keys()].filter((path) => !sent.has(path)).map((path) => listed(path, "matching")),
      ...described.map(({ path }) => listed(path, "described")),
    ];
  }

  /** Another conversation was opened. */
  clear(): void {
    this.#calls.clear();
    this.#waiting = [];
    this.#isDue = false;
  }
}

function toldFiles(messages: readonly AgentMessage[]): Set<string> {
  const told = messages.flatMap((message) =>
    message.role === "custom" && message.customType === MESSAGE_TYPE
      ? (Details.safeParse(message.details).data?.files ?? [])
      : [],
  );
  return new Set(told);
}

function instructionMessage(files: readonly InstructionFile[]): CustomMessage {
  return {
    role: "custom",
    customType: MESSAGE_TYPE,
    content: [
      "<system-reminder>",
      "The project has instructions for files that you just used. Follow them as you do those from the start: AGENTS.md and CLAUDE.md apply to their directory, the others to the files that they name.",
      ...files.map(instructionBlock),
      "</system-reminder>",
    ].join("\n"),
    display: false,
    details: { files: files.map(({ path }) => path) },
    timestamp: Date.now(),
  };
}
