import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { writeFiles } from "../support/extension-files.ts";
import { stdioServer } from "../support/mcp-fixtures.ts";
import { png } from "../support/pictures.ts";
import { changedPart, hasOnlyMoreTools } from "../support/prefix-growth.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import {
  gate,
  httpError,
  type RecordedRequest,
  reply,
  type ScriptedReply,
  text,
  toolCall,
} from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord } from "../support/spawn-agent.ts";

const SESSIONS = 4;
const ANSWER = "This is what I found out about it. ".repeat(20);

/** Switches the tools of a command's arguments on, and all others off. */
const EXTENSION = `export default (pi) => {
  pi.registerTool({ name: "own", label: "Own", description: "Mine.", promptSnippet: "Do it my way", parameters: { type: "object", properties: {} },
    execute: async () => ({ content: [] }) });
  pi.registerCommand("only", { handler: async (args) => pi.setActiveTools(args.split(" ")) });
};`;

const model = (id: string) => ({ id, contextWindow: 50_000, maxTokens: 3000, input: ["text", "image"] });

/** A request of the session, and whether the model answered it. */
interface Asked {
  request: RecordedRequest["body"];
  isAnswered: boolean;
}

/** An agent with a model that answers every request, and a record of the requests. */
class Bench {
  readonly asked: Asked[] = [];
  readonly agent: AgentUnderTest;
  readonly #server: ScriptedModel;
  readonly #folder = mkdtempSync(join(tmpdir(), "tiller-prefix-"));
  #planned: ((request: RecordedRequest) => ScriptedReply)[] = [];

  private constructor(server: ScriptedModel) {
    this.#server = server;
    const local = {
      baseUrl: server.url,
      api: "anthropic-messages",
      apiKey: "LOCAL_KEY",
      models: [model("a"), model("b")],
    };
    const settings = {
      compaction: { keepRecentTokens: 5000 },
      retry: { maxRetries: 1, baseDelayMs: 1 },
      fallbackModels: ["local/a", "local/b", "local/a"],
    };
    writeFiles(this.#folder, {
      "models.json": JSON.stringify({ providers: { local } }),
      "settings.json": JSON.stringify(settings),
      "mcp.json": JSON.stringify({ mcpServers: { fix: stdioServer() } }),
      "extensions/tools.ts": EXTENSION,
    });
    const args = ["--model", "local/a"];
    this.agent = new AgentUnderTest({ agentDir: this.#folder, args, env: { LOCAL_KEY: "k" } });
    writeFiles(this.agent.cwd, {
      "big.txt": "0123456789abcdefghi\n".repeat(600),
      "AGENTS.md": "Be brief.",
      "sub/AGENTS.md": "Speak low.",
      "sub/a.txt": "a",
    });
    server.enqueue((request) => this.#answer(request));
  }

  static async open(): Promise<Bench> {
    return new Bench(await ScriptedModel.start());
  }

  /** Sends a prompt that these replies and a final text answer. */
  async say(replies: readonly ScriptedReply[] = [], fields: object = {}): Promise<void> {
    this.#planned = replies.map((planned) => () => planned);
    await this.agent.run("Please go on.", fields);
  }

  /** Sends a message during the answer. */
  async sayDuring(type: "steer" | "follow_up"): Promise<void> {
    const held = gate();
    this.#planned = [() => reply([text("I begin. "), held, text("I end.")])];
    const run = this.agent.run("Please begin.");
    await held.reached.promise;
    await this.agent.call(type, { message: "And this." });
    held.release();
    await run;
  }

  async close(): Promise<void> {
    await this.agent.dispose();
    rmSync(this.#folder, { recursive: true, force: true });
    await this.#server.close();
  }

  #answer(request: RecordedRequest): ScriptedReply {
    this.#server.enqueue((next) => this.#answer(next));
    const { body } = request;
    if (body.tools === undefined) return reply("SUMMARY"); // not a request of the session
    const planned = this.#planned.shift()?.(request) ?? reply(ANSWER);
    this.asked.push({ request: body, isAnswered: planned.kind === "message" });
    if (planned.kind !== "message") return planned;
    return {
      ...planned,
      usage: { ...planned.usage, cache_creation_input_tokens: Math.ceil(JSON.stringify(body.messages).length / 4) },
    };
  }
}

const HOST_TOOLS = ["pick", "place", "turn"].map((name) => ({
  name,
  description: `Can ${name}.`,
  parameters: { type: "object", properties: {} },
}));
const overloaded = () => httpError(529, "overloaded_error", "Overloaded");
const image = (side: number) => ({ type: "image", data: png(side, side).toString("base64"), mimeType: "image/png" });
const plan = (status: string) =>
  reply([
    toolCall("todo_write", {
      ops: [{ op: "replace", phases: [{ name: "All", tasks: [{ content: "Look", status }] }] }],
    }),
  ]);

/** The events that may happen in a session, by name. */
const STEPS: Record<string, (bench: Bench) => Promise<unknown>> = {
  talk: (bench) => bench.say(),
  "read a big file": (bench) => bench.say([reply([toolCall("read", { path: "big.txt" })])]),
  "come to a folder with instructions": (bench) => bench.say([reply([toolCall("read", { path: "sub/a.txt" })])]),
  "attach text": (bench) =>
    bench.agent.run('What is it?\n\n<attached key="0123456789abcdef">\na.ts\n</attached 0123456789abcdef>'),
  "show an image": (bench) => bench.say([], { images: [image(40)] }),
  "show an image that is scaled": (bench) => bench.say([], { images: [image(2100)] }),
  "show an image that is refused": (bench) =>
    bench.say([httpError(400, "invalid_request_error", "Could not process image")], { images: [image(40)] }),
  "stop with an open plan": (bench) => bench.say([plan("pending"), reply("I stop."), plan("completed")]),
  steer: (bench) => bench.sayDuring("steer"),
  "follow up": (bench) => bench.sayDuring("follow_up"),
  retry: (bench) => bench.say([overloaded()]),
  "fall back to another model": (bench) => bench.say([overloaded(), overloaded()]),
  plan: (bench) => bench.agent.call("set_permission_mode", { mode: "plan" }),
  "work freely": (bench) => bench.agent.call("set_permission_mode", { mode: "auto" }),
  "lend host tools": (bench) => bench.agent.call("set_host_tools", { tools: HOST_TOOLS }),
  "lend fewer host tools": (bench) => bench.agent.call("set_host_tools", { tools: HOST_TOOLS.slice(1, 2) }),
  "take host tools back": (bench) => bench.agent.call("set_host_tools", { tools: [] }),
  "get a tool of a server": (bench) => bench.say([reply([toolCall("mcp__fix__grow")])]),
  "switch tools off": (bench) => bench.agent.call("prompt", { message: "/only read bash own" }),
  "switch tools on": (bench) =>
    bench.agent.call("prompt", { message: "/only read bash edit write todo_write own mcp__fix__grow" }),
  "select a model": (bench) => bench.agent.call("set_model", { provider: "local", modelId: "b" }),
  compact: (bench) => bench.agent.request("compact"),
  "speak German": (bench) => bench.agent.call("set_locale", { locale: "de" }),
  "return to an earlier message": async (bench) => {
    const { messages } = await bench.agent.call("get_fork_messages");
    const first = Array.isArray(messages) ? asRecord(messages.at(-1)) : {};
    if (first.entryId !== undefined) await bench.agent.call("navigate_tree", { entryId: first.entryId });
  },
};

/** Checks that the agent reported each change of the beginning since the last answered request, and no other. */
function check({ asked, agent }: Bench): void {
  const answers = agent.frames
    .filter(({ type }) => type === "message_end")
    .map(({ message }) => asRecord(message))
    .filter(({ role, stopReason }) => role === "assistant" && stopReason !== "error");
  expect(answers).toHaveLength(asked.filter(({ isAnswered }) => isAnswered).length);
  let before: Asked["request"] | undefined;
  for (const [at, { request, isAnswered }] of asked.entries()) {
    if (!isAnswered) continue;
    const changed = before === undefined ? undefined : changedPart(before, request);
    const { cacheRewrite } = answers.shift() ?? {};
    if (changed === undefined) expect(cacheRewrite, `request ${at} only grew`).toBeUndefined();
    else expect(asRecord(cacheRewrite).reason, `request ${at}: ${changed}`).toMatch(/./);
    const { cause, removed, changed: others } = asRecord(cacheRewrite);
    if (before !== undefined && cause === "tools" && removed === undefined && others === undefined) {
      expect(hasOnlyMoreTools(before, request), `tools of request ${at}`).toBe(true);
    }
    before = request;
  }
}

describe("the beginning of requests", () => {
  it("only grows, whatever happens in a session, or the answer says why it changed", { timeout: 180_000 }, async () => {
    const names = fc.shuffledSubarray(Object.keys(STEPS), { minLength: 12 });
    await fc.assert(
      fc.asyncProperty(names, async (steps) => {
        const bench = await Bench.open();
        try {
          await bench.say();
          for (const step of steps) {
            await STEPS[step]?.(bench);
            await bench.say();
          }
          check(bench);
        } finally {
          await bench.close();
        }
      }),
      { numRuns: SESSIONS, endOnFailure: true },
    );
  });
});
