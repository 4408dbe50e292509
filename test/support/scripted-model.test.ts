import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import Anthropic from "@anthropic-ai/sdk";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { png } from "./pictures.ts";
import { ScriptedModel } from "./scripted-model.ts";
import { gate, hang, reply, text, thinking, toolCall } from "./scripted-replies.ts";

let server: ScriptedModel;

beforeEach(async () => {
  server = await ScriptedModel.start();
});

afterEach(async () => {
  await server.close();
});

const HEADERS = { "x-api-key": "k", "anthropic-version": "2023-06-01" };
const BODY = { model: "m", max_tokens: 100, stream: true, messages: [{ role: "user", content: "hi" }] };

async function ask(body: unknown, headers: Record<string, string> = HEADERS) {
  const response = await fetch(`${server.url}/v1/messages`, { method: "POST", headers, body: JSON.stringify(body) });
  return { status: response.status, text: await response.text() };
}

const CALL = { type: "tool_use", id: "t1", name: "read", input: {} };
const RESULT = { type: "tool_result", tool_use_id: "t1", content: "ok" };

function said(...turns: unknown[]) {
  return { messages: turns.map((content, index) => ({ role: index % 2 === 0 ? "user" : "assistant", content })) };
}

function image(bytes: Buffer, type = "image/png") {
  return { type: "image", source: { type: "base64", media_type: type, data: bytes.toString("base64") } };
}

function many(count: number, bytes: Buffer) {
  return Array.from({ length: count }, () => image(bytes));
}

describe("the scripted model", () => {
  test("is understood by the real SDK", async () => {
    server.enqueue(
      reply([thinking("Hm"), text("Hello", { chunks: 2 }), toolCall("read", { path: "a" }, { id: "t1" })]),
    );
    const client = new Anthropic({ apiKey: "k", baseURL: server.url, maxRetries: 0 });
    const message = await client.messages
      .stream({ model: "claude-opus-5-5", max_tokens: 100, messages: [{ role: "user", content: "hi" }] })
      .finalMessage();
    expect(message.stop_reason).toBe("tool_use");
    expect(message.content).toMatchObject([
      { type: "thinking", thinking: "Hm" },
      { type: "text", text: "Hello" },
      { type: "tool_use", id: "t1", name: "read", input: { path: "a" } },
    ]);
    server.assertDone();
  });

  test.each([
    ["an unknown field", { foo: 1 }, "foo: Extra inputs are not permitted"],
    ["no max_tokens", { max_tokens: undefined }, "max_tokens: Field required"],
    ["an answer at the start", { messages: [{ role: "assistant", content: "a" }] }, "first message must use"],
    ["empty text", said([{ type: "text", text: "" }]), "text content blocks must be non-empty"],
    ["a call without result", said("a", [CALL], "b"), "were found without `tool_result` blocks immediately after: t1"],
    ["a result without call", said([RESULT]), "unexpected `tool_use_id` found in `tool_result` blocks: t1"],
    ["a result after text", said("a", [CALL], [{ type: "text", text: "b" }, RESULT]), "without `tool_result`"],
    ["an id twice", said("a", [CALL], [RESULT], [CALL], [RESULT]), "`tool_use` ids must be unique"],
    ["a tool's name", { tools: [{ name: "a.b", input_schema: { type: "object" } }] }, "String should match pattern"],
    [
      "unsigned thinking",
      said("a", [{ type: "thinking", thinking: "t" }, CALL], [RESULT]),
      "signature: Field required",
    ],
    ["a small budget", { thinking: { type: "enabled", budget_tokens: 10 } }, "greater than or equal to 1024"],
    ["a large budget", { thinking: { type: "enabled", budget_tokens: 1024 } }, "`max_tokens` must be greater than"],
    ["temperature with thinking", { thinking: { type: "adaptive" }, temperature: 0.5 }, "`temperature` may only be"],
    [
      "a data URL",
      said([
        { type: "image", source: { type: "base64", media_type: "image/png", data: "data:image/png;base64,aGk=" } },
      ]),
      "invalid base64 data",
    ],
    ["what is no image", said([image(Buffer.from("hi"))]), "messages.0.content.0.image.source.base64.data: Could not"],
    ["a type that is not the image's", said([image(png(1, 1), "image/gif")]), "appears to be a image/png image"],
    ["a side of more than 8000 pixels", said([image(png(8001, 1))]), "exceed max allowed size: 8000 pixels"],
    ["a large image among many", said(many(21, png(2001, 1))), "for many-image requests: 2000 pixels"],
    ["more than 5 MB of an image", said([image(png(1400, 1000, "noise"))]), "image exceeds 5 MB maximum"],
    ["more than 100 images", said(many(101, png(1, 1))), "too many images and documents: 101 > 100"],
    [
      "five breakpoints",
      { system: Array.from({ length: 5 }, () => ({ type: "text", text: "s", cache_control: { type: "ephemeral" } })) },
      "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ],
    [
      "an hour behind five minutes",
      {
        system: [
          { type: "text", text: "a", cache_control: { type: "ephemeral" } },
          { type: "text", text: "b", cache_control: { type: "ephemeral", ttl: "1h" } },
        ],
      },
      "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block",
    ],
    ["thinking that cannot be off", { model: "claude-opus-5-5", thinking: { type: "disabled" } }, "is not supported"],
  ])("refuses %s", async (_what, change, message) => {
    const answer = await ask({ ...BODY, ...change });
    expect(answer.status).toBe(400);
    const body: unknown = JSON.parse(answer.text);
    expect(body).toMatchObject({ type: "error", error: { type: "invalid_request_error" } });
    expect(answer.text).toContain(JSON.stringify(message).slice(1, -1));
  });

  test.each([
    [{}, "x-api-key header is required"],
    [{ ...HEADERS, "x-api-key": "bad-key" }, "invalid x-api-key"],
  ])("refuses a request without a valid key", async (headers, message) => {
    expect(await ask(BODY, headers)).toMatchObject({ status: 401, text: expect.stringContaining(message) });
  });

  test("notices changed thinking of its own", async () => {
    const forged = { type: "thinking", thinking: "changed", signature: "scripted-sig-0000000000000000" };
    expect((await ask({ ...BODY, ...said("a", [forged, CALL], [RESULT]) })).text).toContain("Invalid `signature`");
  });

  test("answers 500 with the request when the script is at its end, and fails the test", async () => {
    expect(await ask(BODY)).toMatchObject({ status: 500, text: expect.stringContaining("no reply left") });
    expect(() => server.assertDone()).toThrow("no reply left");
  });

  test("fails the test when replies are left over, and says what was refused", async () => {
    server.enqueue(reply("Hi"));
    await ask({ ...BODY, foo: 1 });
    expect(() => server.assertDone()).toThrow(/1 scripted replies were not asked for[\s\S]*foo: Extra inputs/);
  });

  test("waits at a gate until the test opens it", async () => {
    const door = gate();
    server.enqueue(reply([text("before"), door, text("after")]));
    const asked = ask(BODY);
    await door.reached.promise;
    door.release();
    expect((await asked).text).toContain("after");
  });

  test("reports when the client closed a hanging reply", async () => {
    const hanging = hang({ afterBlocks: [text("so far")] });
    server.enqueue(hanging);
    const controller = new AbortController();
    const init = { method: "POST", headers: HEADERS, body: JSON.stringify(BODY), signal: controller.signal };
    const response = await fetch(`${server.url}/v1/messages`, init);
    expect(response.status).toBe(200);
    controller.abort();
    await hanging.clientClosed.promise;
  });

  test("runs as a separate process that reads its script from stdin", async () => {
    const path = fileURLToPath(new URL("scripted-model-server.ts", import.meta.url));
    const child = spawn(process.execPath, [path], { stdio: ["pipe", "pipe", "inherit"] });
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const { url } = z.object({ url: z.string() }).parse(JSON.parse((await lines.next()).value ?? ""));
    child.stdin.write('{"reply":[{"text":"from outside"}]}\n');
    expect((await lines.next()).value).toBe('{"queued":1}');
    const init = { method: "POST", headers: HEADERS, body: JSON.stringify(BODY) };
    const answer = await fetch(`${url}/v1/messages`, init);
    expect(await answer.text()).toContain("from outside");
    child.stdin.end();
    expect(await once(child, "exit")).toEqual([0, null]);
  });
});
