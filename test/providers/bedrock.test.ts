import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Env } from "../../agent/config/paths.ts";
import { MessageBuilder } from "../../agent/loop/message-builder.ts";
import type { AgentMessage, AssistantMessage } from "../../agent/protocol/messages.ts";
import type { Model } from "../../agent/protocol/model.ts";
import { createAwsLogin } from "../../agent/providers/aws/login.ts";
import { createBedrockProvider } from "../../agent/providers/bedrock.ts";
import { FrameDecoder } from "../../agent/providers/bedrock-frames.ts";
import { findPlace } from "../../agent/providers/bedrock-place.ts";
import { CATALOGUE } from "../../agent/providers/catalogue.ts";
import { ProviderError, type ProviderRequest } from "../../agent/providers/provider.ts";
import { maxPdfPages } from "../../agent/providers/takes-pdf.ts";
import { eventFrame, exceptionFrame, frame } from "../support/event-stream-frames.ts";
import { pdf } from "../support/pdfs.ts";
import { type ConversePart, converseFailure, converseReply, ScriptedBedrock } from "../support/scripted-bedrock.ts";
import { collect, requestFor } from "./collect.ts";

const KEYS = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "very/secret+key" };
const REGION = "eu-central-1";
const STANDARD = "https://bedrock-runtime.us-east-1.amazonaws.com";

let server: ScriptedBedrock;

beforeEach(async () => {
  server = await ScriptedBedrock.start({ region: REGION, keys: [KEYS] });
});

afterEach(() => server.stop());

function environment(more: Record<string, string> = {}) {
  return {
    HOME: "/nonexistent",
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: KEYS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: KEYS.secretAccessKey,
    AWS_ENDPOINT_URL_BEDROCK_RUNTIME: server.url,
    ...more,
  };
}

/** A model of Anthropic as it is on Bedrock. */
function claude(id = "claude-opus-5-5", name = `eu.anthropic.${id}`): Model {
  const known = CATALOGUE.find((model) => model.id === id) ?? expect.unreachable();
  return { ...known, id: name, api: "bedrock-converse-stream", provider: "amazon-bedrock", baseUrl: STANDARD };
}

const other: Model = { ...claude(), id: "openai.gpt-oss-120b-1:0", name: "gpt-oss-120b", thinkingLevelMap: {} };

interface Asked {
  model?: Model;
  env?: Record<string, string>;
  parts?: Partial<ProviderRequest>;
}

async function ask({ model = claude(), env = environment(), parts = {} }: Asked = {}): Promise<AssistantMessage> {
  const builder = new MessageBuilder(model, "low");
  const request = requestFor(model, { apiKey: undefined, ...parts });
  for (const event of await collect(createBedrockProvider({ env }), request)) builder.apply(event);
  return builder.finished();
}

async function failureOf(asked: Asked = {}): Promise<ProviderError> {
  const error: unknown = await ask(asked).catch((thrown: unknown) => thrown);
  if (!(error instanceof ProviderError)) throw new Error(`The request should have failed: ${JSON.stringify(error)}`);
  return error;
}

function answer(parts: readonly ConversePart[] = [{ text: "Hi" }], ending = {}): void {
  server.enqueue({ kind: "frames", frames: converseReply(parts, ending) });
}

const said = (content: string): AgentMessage => ({ role: "user", content, timestamp: 1 });
const result = (
  toolCallId: string,
  more: Partial<Extract<AgentMessage, { role: "toolResult" }>> = {},
): AgentMessage => ({
  role: "toolResult",
  toolCallId,
  toolName: "read",
  content: [{ type: "text", text: "from a" }],
  isError: false,
  timestamp: 3,
  ...more,
});
const TOOLS = [{ name: "read", description: "Reads", parameters: { type: "object" } }];

describe("a request to Bedrock", () => {
  test("is signed with the keys of the environment, for the region", async () => {
    answer();
    expect((await ask()).content).toEqual([{ type: "text", text: "Hi" }]);
    expect(server.requests[0]?.model).toBe("eu.anthropic.claude-opus-5-5");
  });

  test.each([
    "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "arn:aws:bedrock:eu-central-1:123:inference-profile/a b'(1)",
  ])("is signed for a model with signs in its ID: %s", async (id) => {
    answer();
    await ask({ model: { ...claude(), id } });
    expect(server.requests[0]?.model).toBe(id);
  });

  test("includes headers of models and extensions in its signature", async () => {
    answer();
    await ask({ parts: { headers: { "x-amz-team": "a  b", "x-gone": null } } });
    expect(server.requests[0]?.headers).toMatchObject({ "x-amz-team": "a  b" });
  });

  test("isn't signed where a header authorizes it", async () => {
    answer();
    await ask({ env: {}, model: { ...claude(), baseUrl: server.url, headers: { Authorization: "Bearer gateway" } } });
    expect(server.requests[0]?.headers.authorization).toBe("Bearer gateway");
  });

  test("goes to the region of the model's ARN before that of the environment", async () => {
    const id = "arn:aws:bedrock:eu-central-1:123:application-inference-profile/abc";
    answer();
    await ask({ model: { ...claude(), id }, env: environment({ AWS_REGION: "us-west-2" }) });
    expect(server.requests[0]?.model).toBe(id);
  });

  test("asks for adaptive thinking, bound to its place, and for summaries", async () => {
    answer();
    await ask({ parts: { thinkingLevel: "max" } });
    expect(server.requests[0]?.body).toMatchObject({
      inferenceConfig: { maxTokens: 128_000 },
      additionalModelRequestFields: {
        thinking: {
          type: "adaptive",
          display: "summarized",
          block_binding: { prefix_mismatch_behavior: "drop_block" },
        },
        output_config: { effort: "max" },
        anthropic_beta: ["thinking-binding-controls-2026-08-01"],
      },
    });
  });

  test("asks older models for thinking with a budget", async () => {
    answer();
    await ask({ model: claude("claude-haiku-4-5"), parts: { thinkingLevel: "medium" } });
    expect(server.requests[0]?.body.additionalModelRequestFields).toEqual({
      thinking: { type: "enabled", budget_tokens: 10_240, display: "summarized" },
      anthropic_beta: ["interleaved-thinking-2025-05-14"],
    });
  });

  test("asks for less in a government region", async () => {
    await server.stop();
    server = await ScriptedBedrock.start({ region: "us-gov-west-1", keys: [KEYS] });
    answer();
    await ask({ env: environment({ AWS_REGION: "us-gov-west-1" }) });
    expect(server.requests[0]?.body.additionalModelRequestFields).toEqual({
      thinking: { type: "adaptive" },
      output_config: { effort: "low" },
    });
  });

  test("marks what Claude is to keep: the system prompt, the tools, and the last messages of the user", async () => {
    answer();
    const messages = [said("One"), { ...(await ask()), content: [{ type: "text" as const, text: "Hi" }] }, said("Two")];
    answer();
    await ask({ parts: { messages, tools: TOOLS, cacheTtl: "1h" } });
    const point = { cachePoint: { type: "default", ttl: "1h" } };
    expect(server.requests[1]?.body).toMatchObject({
      system: [{ text: "Be brief." }, point],
      toolConfig: { tools: [{ toolSpec: { name: "read" } }, point] },
      messages: [
        { content: [{ text: "One" }, point] },
        { content: [{ text: "Hi" }] },
        { content: [{ text: "Two" }, point] },
      ],
    });
  });

  test("marks nothing for other models, leaves their limit to the service, and names their effort", async () => {
    answer();
    await ask({ model: other, parts: { tools: TOOLS, thinkingLevel: "high" } });
    expect(server.requests[0]?.body).toEqual({
      messages: [{ role: "user", content: [{ text: "Hello" }] }],
      system: [{ text: "Be brief." }],
      toolConfig: {
        tools: [{ toolSpec: { name: "read", description: "Reads", inputSchema: { json: { type: "object" } } } }],
      },
      additionalModelRequestFields: { reasoning_effort: "high" },
    });
  });

  test("declares tools of earlier calls, which the service wants even if no tool is offered", async () => {
    answer([{ call: "call_1", name: "read", args: { path: "a" } }]);
    const message = await ask({ parts: { tools: TOOLS } });
    answer();
    await ask({ parts: { messages: [said("Go"), message, result("call_1")] } });
    expect(server.requests[1]?.body.toolConfig).toMatchObject({ tools: [{ toolSpec: { name: "read" } }] });
  });

  test("sends PDFs as documents with names of their own, beside text", async () => {
    const data = pdf(1).toString("base64");
    const document = { type: "image" as const, mimeType: "application/pdf", data };
    const content = [document, document];
    answer();
    await ask({ parts: { messages: [{ role: "user", content, timestamp: 1 }] } });
    expect(server.requests[0]?.body.messages[0]?.content.slice(0, 3)).toEqual([
      { text: "(document)" },
      { document: { format: "pdf", name: "document-1", source: { bytes: data } } },
      { document: { format: "pdf", name: "document-2", source: { bytes: data } } },
    ]);
    expect(maxPdfPages(claude())).toBe(100);
    expect(maxPdfPages(other)).toBe(0);
  });

  test("leaves out the oldest of more than five PDFs", async () => {
    const data = pdf(1).toString("base64");
    const document = { type: "image" as const, mimeType: "application/pdf", data };
    answer([{ call: "call_1", name: "read", args: {} }]);
    const message = await ask({ parts: { tools: TOOLS } });
    answer();
    const content = [document, document, document, document, document];
    const five: AgentMessage = { role: "user", content, timestamp: 4 };
    const read = result("call_1", { content: [document] });
    await ask({ parts: { tools: TOOLS, messages: [said("Go"), message, read, five] } });
    expect(server.requests[1]?.body.messages[2]?.content.slice(0, 2)).toMatchObject([
      { toolResult: { content: [{ text: "[PDF omitted: newer ones take its place]" }] } },
      { text: "(document)" },
    ]);
  });

  test("tells of an error of a tool, unless that has an image", async () => {
    answer([
      { call: "call_1", name: "read", args: {} },
      { call: "call_2", name: "read", args: {} },
    ]);
    const message = await ask({ parts: { tools: TOOLS } });
    const image = { type: "image" as const, mimeType: "image/png", data: "iVBORw0KGgo=" };
    answer();
    const results = [result("call_1", { isError: true }), result("call_2", { isError: true, content: [image] })];
    await ask({ parts: { tools: TOOLS, messages: [said("Go"), message, ...results] } });
    expect(server.requests[1]?.body.messages[2]?.content).toMatchObject([
      { toolResult: { toolUseId: "call_1", status: "error" } },
      { toolResult: { toolUseId: "call_2", content: [{ image: { format: "png" } }] } },
      { cachePoint: {} },
    ]);
    expect(JSON.stringify(server.requests[1]?.body).match(/"status"/g)).toHaveLength(1);
  });
});

describe("the place of a model on Bedrock", () => {
  const place = (env: Env, id = "m", baseUrl = STANDARD) => {
    const clean = { HOME: "/nonexistent", ...env };
    return findPlace({ ...claude(), id, baseUrl }, clean, createAwsLogin(clean));
  };

  test.each([
    [{ AWS_REGION: "eu-west-1", AWS_DEFAULT_REGION: "us-west-2" }, "m", "eu-west-1"],
    [{ AWS_DEFAULT_REGION: "us-west-2" }, "m", "us-west-2"],
    [{}, "eu.anthropic.claude-opus-5-5", "eu-central-1"],
    [{}, "us.anthropic.claude-opus-5-5", "us-east-1"],
    [{}, "in.anthropic.claude-opus-5-5", "ap-south-1"],
    [{ AWS_REGION: "eu-west-1" }, "arn:aws:bedrock:ap-south-1:1:inference-profile/x", "ap-south-1"],
  ])("is in the region of its ARN, the environment, or its area: %j, %s", async (env, id, region) => {
    expect(await place(env, id)).toMatchObject({ region, baseUrl: `https://bedrock-runtime.${region}.amazonaws.com` });
  });

  test("is in China under another domain", async () => {
    const { baseUrl } = await place({ AWS_REGION: "cn-north-1" });
    expect(baseUrl).toBe("https://bedrock-runtime.cn-north-1.amazonaws.com.cn");
  });

  test.each([
    ["https://bedrock-runtime.eu-west-1.amazonaws.com", "eu-west-1"],
    ["https://vpce-1a2b.bedrock-runtime.eu-west-1.vpce.amazonaws.com", "eu-west-1"],
    ["https://bedrock-runtime-fips.us-gov-west-1.amazonaws.com", "us-gov-west-1"],
    ["https://gateway.example/bedrock", "us-west-2"],
  ])("is at an address of its own: %s", async (baseUrl, region) => {
    expect(await place({ AWS_REGION: "us-west-2" }, "m", baseUrl)).toMatchObject({ baseUrl, region });
  });
});

describe("the thinking of a model on Bedrock", () => {
  test("goes back as it came, with its signature", async () => {
    answer([{ thought: "Hm.\n " }, { call: "call_1", name: "read", args: {} }]);
    const message = await ask({ parts: { tools: TOOLS } });
    answer();
    await ask({ parts: { tools: TOOLS, messages: [said("Go"), message, result("call_1")] } });
    expect(server.requests[1]?.body.messages[1]?.content[0]).toMatchObject({
      reasoningContent: { reasoningText: { text: "Hm.\n " } },
    });
  });

  test("goes back encrypted where it came so, even in several parts", async () => {
    const parts = ["first part", "second"].map((text) => Buffer.from(text).toString("base64"));
    answer([{ redacted: parts }, { call: "call_1", name: "read", args: {} }]);
    const message = await ask({ model: other, parts: { tools: TOOLS } });
    expect(message.content[0]).toMatchObject({ type: "thinking", thinking: "", redacted: true });
    answer();
    await ask({ model: other, parts: { tools: TOOLS, messages: [said("Go"), message, result("call_1")] } });
    expect(server.requests[1]?.body.messages[1]?.content[0]).toEqual({
      reasoningContent: { redactedContent: Buffer.from("first partsecond").toString("base64") },
    });
  });

  test("stays away when it has no signature, as after a stop", async () => {
    answer();
    const message = {
      ...(await ask()),
      content: [
        { type: "thinking" as const, thinking: "Hm." },
        { type: "text" as const, text: "Hi" },
      ],
    };
    answer();
    await ask({ parts: { messages: [said("One"), message, said("Two")] } });
    expect(server.requests[1]?.body.messages[1]?.content).toEqual([{ text: "Hi" }]);
  });
});

describe("the tokens of a reply of Bedrock", () => {
  test("include what was stored in the cache, for an hour at its own price", async () => {
    const usage = {
      inputTokens: 1,
      outputTokens: 2,
      cacheReadInputTokens: 3,
      cacheWriteInputTokens: 1_000_000,
      cacheDetails: [{ ttl: "1h", inputTokens: 1_000_000 }],
    };
    answer([{ text: "Hi" }], { usage });
    const { usage: counted } = await ask();
    expect(counted).toMatchObject({ input: 1, output: 2, cacheRead: 3, cacheWrite: 1_000_000 });
    expect(counted.cost.cacheWrite).toBeCloseTo(8);
  });
});

describe("a failure of Bedrock", () => {
  const refuse = (status: number, type: string, message: string) =>
    server.enqueue({ kind: "error", status, type, message });

  test.each(["content_filtered", "refusal"])("tells of a refusal: %s", async (stopReason) => {
    answer([{ text: "I" }], { stopReason });
    expect((await failureOf()).message).toMatch(/^The model declined to respond\. /);
  });

  test("can be tried again when the model's call can't be read", async () => {
    answer([{ text: "I" }], { stopReason: "malformed_tool_use" });
    expect(await failureOf()).toMatchObject({ kind: "server", isRetryable: true });
  });

  test("in the middle of a reply says how to renew credentials that have expired", async () => {
    server.enqueue({
      kind: "frames",
      frames: converseFailure("ExpiredTokenException", "The security token has expired"),
    });
    const env = environment({ AWS_PROFILE: "dev" });
    expect(await failureOf({ env: { ...env, AWS_ACCESS_KEY_ID: "" }, parts: { apiKey: "key" } })).toMatchObject({
      kind: "auth",
      message: expect.stringContaining("Create a new key, and set AWS_BEARER_TOKEN_BEDROCK."),
    });
    server.enqueue({
      kind: "frames",
      frames: converseFailure("ExpiredTokenException", "The security token has expired"),
    });
    expect((await failureOf({ env })).message).toContain("Set AWS_ACCESS_KEY_ID, ");
  });

  test("tells of an area that the ID lacks", async () => {
    refuse(400, "ValidationException", "Invocation of model ID m with on-demand throughput isn’t supported.");
    const model = claude("claude-opus-5-5", "anthropic.claude-opus-5-5");
    expect((await failureOf({ model })).message).toContain("such as us.anthropic.claude-opus-5-5 or global.");
  });

  test("tells where the region comes from when that has no such model", async () => {
    refuse(400, "ValidationException", "The provided model identifier is invalid.");
    expect((await failureOf()).message).toContain("is available in eu-central-1, which comes from AWS_REGION.");
  });

  test("tells what a key must be allowed", async () => {
    refuse(403, "AccessDeniedException", "You don't have access to the model with the specified model ID.");
    expect((await failureOf()).message).toContain("Request access to eu.anthropic.claude-opus-5-5 in eu-central-1");
  });

  test.each([
    [
      "UnrecognizedClientException",
      "The security token included in the request is invalid.",
      "Set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, and AWS_SESSION_TOKEN to new ones, and restart.",
    ],
    [
      "InvalidSignatureException",
      "Signature expired: 20261126T100000Z is now earlier than 20261126T115500Z.",
      "Set the clock of this machine.",
    ],
    [
      "InvalidSignatureException",
      "Signature not yet current: 20261126T130000Z is still later than 20261126T120500Z.",
      "Set the clock of this machine.",
    ],
  ])("tells what to do about keys of AWS: %s, %s", async (type, said, advice) => {
    refuse(403, type, said);
    const { kind, message } = await failureOf();
    expect(kind).toBe("auth");
    expect(message).toContain("doesn't accept the credentials for eu.anthropic.claude-opus-5-5");
    expect(message.endsWith(`(403: ${said}). ${advice}`)).toBe(true);
  });

  test("names the setting of a region that can't be one, and sends nothing", async () => {
    expect(await failureOf({ env: environment({ AWS_REGION: "Frankfurt!" }) })).toMatchObject({
      kind: "invalid_request",
      message: '"Frankfurt!" isn\'t a region of AWS. Correct AWS_REGION, such as us-east-1, and restart.',
    });
  });

  test("names the region whose server can't be found", async () => {
    const { AWS_ENDPOINT_URL_BEDROCK_RUNTIME: _, ...env } = environment({ AWS_REGION: "xx-nowhere-9" });
    const { kind, message } = await failureOf({ env });
    expect(kind).toBe("network");
    expect(message).toMatch(/bedrock-runtime\.xx-nowhere-9\.amazonaws\.com/);
  });

  test("is told when something else answers, or damages an event", async () => {
    server.enqueue({ kind: "page", body: "<html>Sign in to the hotel</html>" });
    expect((await failureOf()).message).toContain("returned something other than a message");
    const frames = converseReply([{ text: "Hi" }]);
    const last = frames.at(-1) ?? expect.unreachable();
    last[last.length - 6] = 0;
    server.enqueue({ kind: "frames", frames });
    expect((await failureOf()).message).toBe("The model server sent a damaged event.");
  });

  test("names the image that it is about", async () => {
    const image = { type: "image" as const, mimeType: "image/png", data: "iVBORw0KGgo=" };
    refuse(400, "ValidationException", "messages.0.content.0.image.source.base64: image exceeds 5 MB maximum");
    const messages: AgentMessage[] = [{ role: "user", content: [image], timestamp: 1 }];
    expect((await failureOf({ parts: { messages } })).refusedImage).toBe(image.data);
  });
});

describe("the frames of an event stream", () => {
  const error = frame({ ":message-type": "error", ":error-code": "Broken", ":error-message": "no" }, "");
  const bytes = Buffer.concat([eventFrame("one", { a: "ü" }), exceptionFrame("twoException", "x"), error]);
  const events = ['{"one":{"a":"ü"}}', '{"twoException":{"message":"x"}}', '{"BrokenException":{"message":"no"}}'];

  test("are read however they are cut", () => {
    for (let at = 0; at <= bytes.length; at += 1) {
      const decoder = new FrameDecoder();
      expect([...decoder.push(bytes.subarray(0, at)), ...decoder.push(bytes.subarray(at))]).toEqual(events);
    }
    const decoder = new FrameDecoder();
    expect([...bytes].flatMap((byte) => decoder.push(Buffer.from([byte])))).toEqual(events);
  });

  test("are refused when they are too long or too short to be any", () => {
    expect(() => new FrameDecoder().push(Buffer.from([0x7f, 0, 0, 0]))).toThrow(RangeError);
    expect(() => new FrameDecoder().push(Buffer.from("\0\0\0\u0003abc"))).toThrow("damaged");
  });
});
