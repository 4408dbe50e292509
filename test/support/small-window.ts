import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeFiles } from "./extension-files.ts";
import { ScriptedModel } from "./scripted-model.ts";
import { reply } from "./scripted-replies.ts";
import { AgentUnderTest, asRecord, type Frame } from "./spawn-agent.ts";

/** About 250 tokens, more than what a compaction keeps here. */
export const LONG = "word ".repeat(200);
/** An answer after which the window is nearly full. */
export const NEARLY_FULL = { usage: { input_tokens: 9000 } };
/** The frames of an automatic compaction. */
export const AUTO_FRAMES = ["compaction_start", "auto_compaction_start", "auto_compaction_end", "compaction_end"];

/** An agent whose model has a window of 10,000 tokens, 2000 of them reserved; a compaction keeps 100. */
export class SmallWindow {
  readonly model: ScriptedModel;
  readonly #folder: string;
  #agent: AgentUnderTest;

  private constructor(model: ScriptedModel, folder: string) {
    this.model = model;
    this.#folder = folder;
    this.#agent = this.#start({ LOCAL_KEY: "k" });
  }

  /** @param extension the source of an extension. */
  static async start(extension?: string): Promise<SmallWindow> {
    const model = await ScriptedModel.start();
    const folder = mkdtempSync(join(tmpdir(), "tiller-compaction-"));
    const tiny = { id: "tiny", contextWindow: 10_000, maxTokens: 3000 };
    const local = { baseUrl: model.url, api: "anthropic-messages", apiKey: "LOCAL_KEY", models: [tiny] };
    writeFileSync(join(folder, "models.json"), JSON.stringify({ providers: { local } }));
    const compaction = { reserveTokens: 2000, keepRecentTokens: 100 };
    writeFileSync(join(folder, "settings.json"), JSON.stringify({ compaction, retry: { baseDelayMs: 1 } }));
    if (extension !== undefined) writeFiles(folder, { "extensions/own.ts": extension });
    return new SmallWindow(model, folder);
  }

  get agent(): AgentUnderTest {
    return this.#agent;
  }

  /** Starts the agent anew, with no key for its model. */
  async restartWithoutKey(): Promise<void> {
    await this.#agent.dispose();
    this.#agent = this.#start({});
  }

  /** Two long exchanges. A compaction summarises the first one, then the beginning of the second. */
  async talk(): Promise<void> {
    this.model.enqueue(reply(LONG), reply(LONG));
    await this.#agent.run("first");
    await this.#agent.run("second");
  }

  /** The frames of a run, without the updates. */
  async run(message: string): Promise<Frame[]> {
    return (await this.#agent.run(message)).filter(({ type }) => type !== "message_update");
  }

  /** Sends `compact` under the id `c` and waits until it has begun. */
  async beginCompaction(): Promise<void> {
    const from = this.#agent.frames.length;
    this.#agent.send({ id: "c", type: "compact" });
    await this.#agent.waitFor(({ type }) => type === "compaction_start", from);
  }

  /** The body of the newest request, as text. */
  lastRequest(): string {
    return JSON.stringify(this.model.requests.at(-1)?.body);
  }

  async stop(): Promise<void> {
    await this.#agent.dispose();
    rmSync(this.#folder, { recursive: true, force: true });
    await this.model.stop();
  }

  #start(env: Record<string, string>): AgentUnderTest {
    return new AgentUnderTest({ agentDir: this.#folder, cwd: this.#folder, args: ["--model", "local/tiny"], env });
  }
}

/** Types of frames, in order; messages with their role, responses with their command, updates left out. */
export function story(frames: readonly Frame[]): string[] {
  return frames
    .filter(({ type }) => type !== "message_update")
    .map((frame) => {
      if (frame.type === "response") return `response ${String(frame.command)}`;
      const { role } = asRecord(frame.message);
      return frame.type.startsWith("message_") ? `${frame.type} ${String(role)}` : frame.type;
    });
}
