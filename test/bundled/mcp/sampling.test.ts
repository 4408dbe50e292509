import type { CreateMessageRequest } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Sampling } from "../../../agent/bundled/mcp/sampling.ts";
import { readSamplingRequest } from "../../../agent/bundled/mcp/sampling-request.ts";
import { deferred } from "../../../agent/util/deferred.ts";
import { McpBench, outcomeText, stdioServer } from "../../support/mcp-fixtures.ts";
import { reply, toolCall } from "../../support/scripted-replies.ts";
import { actAsUser } from "../../support/signing-user.ts";
import type { AgentUnderTest, Frame } from "../../support/spawn-agent.ts";

const TOOL = "mcp__fix__think";
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

const MODEL = {
  name: "M",
  api: "anthropic-messages",
  provider: "p",
  baseUrl: "https://m.example",
  reasoning: false,
  input: ["text" as const],
  contextWindow: 1000,
  maxTokens: 100,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
};

let bench: McpBench;
beforeEach(async () => {
  bench = await McpBench.open();
});
afterEach(() => bench.close());

/** Starts an agent whose user answers questions with these, in order; the last one stays. */
function start(...answers: string[]): AgentUnderTest {
  const agent = bench.start({ servers: { fix: stdioServer() } });
  actAsUser(agent, {
    answer: ({ method }: Frame) => {
      if (method === "editor") return "";
      return method === "select" ? (answers.length > 1 ? answers.shift() : answers[0]) : undefined;
    },
  });
  return agent;
}

/** Makes the model call the tool, which sends it a request. @returns the answer that the server received. */
async function think(agent: AgentUnderTest, params: object, answers: Parameters<typeof bench.model.enqueue>) {
  bench.model.enqueue(reply([toolCall(TOOL, { ...params })]), ...answers, reply("ok"));
  return outcomeText(await agent.run("go"));
}

function questions(agent: AgentUnderTest): Frame[] {
  return agent.frames.filter(({ method }) => method === "select");
}

describe("a server that asks the model", () => {
  it("gets an answer after the user has seen what it sends", async () => {
    const agent = start("Allow");
    const got = await think(agent, { systemPrompt: "Be short." }, [reply("It is a fox.")]);
    expect(JSON.parse(got)).toMatchObject({
      role: "assistant",
      content: { type: "text", text: "It is a fox." },
      stopReason: "endTurn",
    });
    const [question] = questions(agent);
    expect(question?.options).toEqual(["Allow", "Allow for This Session", "Deny"]);
    expect(question?.title).toMatch(
      /^MCP server "fix" wants to ask anthropic\/\S+ for an answer of up to 100 tokens\./,
    );
    expect(question?.title).toContain("System prompt: Be short.\n\nUser: What is it?");
    const body = bench.model.requests[1]?.body;
    expect(body?.max_tokens).toBe(100);
    expect(body?.tools ?? []).toEqual([]);
    expect(JSON.stringify(body?.messages)).toContain("What is it?");
  });

  it("is told when the user denies it", async () => {
    const agent = start("Deny");
    expect(await think(agent, {}, [])).toContain("-1");
    expect(bench.model.requests).toHaveLength(2);
  });

  it("is asked about once when it is allowed for the session, and again in the next session", async () => {
    const agent = start("Allow for This Session");
    await think(agent, {}, [reply("one")]);
    await think(agent, {}, [reply("two")]);
    expect(questions(agent)).toHaveLength(1);
    await agent.call("new_session");
    await think(agent, {}, [reply("three")]);
    expect(questions(agent)).toHaveLength(2);
  });

  it("counts in the cost of the session", async () => {
    const agent = start("Allow");
    await think(agent, {}, [reply("one")]);
    const entry = agent.frames.find(({ type }) => type === "entry_appended")?.entry;
    expect(entry).toMatchObject({ customType: "tiller.sampling", data: { server: "fix" } });
    const { tokens } = await agent.call("get_session_stats");
    const { messages } = await agent.call("get_messages");
    const answers = JSON.stringify(messages).match(/"totalTokens":(\d+)/g) ?? [];
    const inAnswers = answers.reduce((sum, one) => sum + Number(one.split(":")[1]), 0);
    expect(tokens).toMatchObject({ total: expect.toSatisfy((total: number) => total > inAnswers) });
  });

  it("may send images, and shows the whole of a long text", async () => {
    const agent = start("Show All", "Allow");
    const messages = [
      { role: "user", content: { type: "text", text: `${"x".repeat(3_000)}the end` } },
      { role: "user", content: { type: "image", data: PIXEL, mimeType: "image/png" } },
    ];
    await think(agent, { messages }, [reply("seen")]);
    const [question] = questions(agent);
    expect(String(question?.title).length).toBeLessThan(2_000);
    const whole = agent.frames.find(({ method }) => method === "editor")?.prefill;
    expect(whole).toContain("the end");
    expect(whole).toContain("[Image (image/png, ");
    expect(JSON.stringify(bench.model.requests[1]?.body.messages)).toContain(PIXEL);
  });

  it("gets a text only up to its stop sequence", async () => {
    const agent = start("Allow");
    const got = await think(agent, { stopSequences: ["END"] }, [reply("one END two")]);
    expect(JSON.parse(got)).toMatchObject({ content: { text: "one " }, stopReason: "stopSequence" });
  });

  it("can name a model only among those with a key", async () => {
    const agent = start("Allow");
    await think(agent, { modelPreferences: { hints: [{ name: "gpt" }, { name: "haiku" }] } }, [reply("one")]);
    expect(questions(agent)[0]?.title).toMatch(/anthropic\/\S*haiku/);
  });

  it.each([
    [{ messages: [{ role: "user", content: { type: "audio", data: "AAAA", mimeType: "audio/wav" } }] }, "-32602"],
    [{ messages: [{ role: "user", content: { type: "text", text: "x".repeat(500_000) } }] }, "-32602"],
    [{ maxTokens: 0 }, "-32602"],
  ])("is refused what can't be done, without a question", async (params, code) => {
    const agent = start("Allow");
    expect(await think(agent, params, [])).toContain(code);
    expect(questions(agent)).toEqual([]);
  });

  it("can't give the model tools", () => {
    const params: CreateMessageRequest["params"] = {
      messages: [{ role: "user", content: { type: "text", text: "?" } }],
      maxTokens: 1,
    };
    expect(readSamplingRequest(params).maxTokens).toBe(1);
    expect(() => readSamplingRequest({ ...params, tools: [] })).toThrow(
      "This client doesn't support tools in sampling requests.",
    );
  });

  it("isn't allowed anything, and costs nothing, in the session after the one that it asked in", async () => {
    const entries: unknown[] = [];
    const question = deferred<string>();
    const model = { ...MODEL, id: "m" };
    const complete = async (): Promise<never> => Promise.reject(new Error("asked"));
    const asking: string[] = [];
    const sampling = new Sampling({
      server: "s",
      api: { appendEntry: (...entry) => void entries.push(entry) },
      context: () => ({
        ui: {
          select(title) {
            asking.push(title);
            return question.promise;
          },
          editor: async () => undefined,
        },
        model,
        modelRegistry: { getAvailable: () => [model], complete },
      }),
    });
    const { signal } = new AbortController();
    const params: CreateMessageRequest["params"] = {
      messages: [{ role: "user", content: { type: "text", text: "?" } }],
      maxTokens: 1,
    };
    const first = sampling.answer(params, signal).catch((error: unknown) => String(error));
    await expect.poll(() => asking.length).toBe(1);
    sampling.sessionEnded();
    question.resolve("Allow for This Session");
    expect(await first).toContain("Abort");
    await expect(sampling.answer(params, signal)).rejects.toThrow("asked");
    expect(asking).toHaveLength(2);
    expect(entries).toEqual([]);
  });

  it("gets no answer after an abort", async () => {
    const agent = bench.start({ servers: { fix: stdioServer() } });
    bench.model.enqueue(reply([toolCall(TOOL, {})]));
    await agent.call("prompt", { message: "go" });
    const question = await agent.waitFor(({ method }) => method === "select");
    await agent.call("abort");
    const cancel = await agent.waitFor(({ method }) => method === "cancel");
    expect(cancel.targetId).toBe(question.id);
    expect(bench.model.requests).toHaveLength(1);
  });
});
