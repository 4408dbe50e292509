import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { pictureSize, png } from "../support/pictures.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { httpError, reply, toolCall } from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord } from "../support/spawn-agent.ts";

let model: ScriptedModel;
let agent: AgentUnderTest;

beforeEach(async () => {
  model = await ScriptedModel.start();
  agent = new AgentUnderTest({ modelUrl: model.url });
});

afterEach(async () => {
  await agent.dispose();
  await model.stop();
});

function image(bytes: Buffer) {
  return { type: "image", data: bytes.toString("base64"), mimeType: "image/png" };
}

function refusal(message: string) {
  return httpError(400, "invalid_request_error", message);
}

/** The data of all images in a request, in order. */
function sentImages(request: number): string[] {
  const json = JSON.stringify(model.requests[request]?.body.messages);
  return [...json.matchAll(/"media_type":"image\/\w+","data":"([^"]+)"/g)].map(([, data = ""]) => data);
}

function sizes(request: number) {
  return sentImages(request).map((data) => pictureSize(Buffer.from(data, "base64")));
}

function sentText(request: number): string {
  return JSON.stringify(model.requests[request]?.body.messages);
}

/** The warnings in the chat. */
function warnings(): unknown[] {
  return agent.frames.filter(({ method }) => method === "notify").map(({ message }) => message);
}

async function lastText(): Promise<unknown> {
  return asRecord(await agent.call("get_last_assistant_text")).text;
}

describe("a large image", () => {
  it("in a prompt is sent small, and the conversation keeps it as it was", async () => {
    const given = image(png(9000, 90));
    model.enqueue(reply("I see"));
    await agent.run("look", { images: [given] });
    expect(await lastText()).toBe("I see");
    expect(sizes(0)).toEqual([{ width: 2000, height: 20 }]);
    const { messages } = await agent.call("get_messages");
    expect(JSON.stringify(messages)).toContain(given.data);
  });

  it("in a file is scaled by read, whatever its bytes", async () => {
    await writeFile(join(agent.cwd, "photo.png"), png(1700, 1000, "noise"));
    model.enqueue(reply([toolCall("read", { path: "photo.png" })], { stopReason: "tool_use" }), reply("ok"));
    await agent.run("read it");
    expect(sizes(1)).toEqual([{ width: 1700, height: 1000 }]);
    expect(sentImages(1)[0]?.length).toBeLessThan(5_242_880);
  });

  it("of a host's tool is sent small, and each request sends the same", async () => {
    const tool = { name: "shot", description: "Takes a picture.", parameters: { type: "object" } };
    await agent.call("set_host_tools", { tools: [tool] });
    model.enqueue(reply([toolCall("shot", {})], { stopReason: "tool_use" }), reply("ok"), reply("still ok"));
    await agent.call("prompt", { message: "go" });
    const { id } = await agent.waitFor(({ type }) => type === "host_tool_call");
    agent.send({ type: "host_tool_result", id, result: { content: [image(png(50, 8100))] } });
    await agent.settled();
    await agent.run("again");
    expect(sizes(1)).toEqual([{ width: 12, height: 2000 }]);
    expect(sentImages(2)).toEqual(sentImages(1));
  });

  it("that is none is left out with a note, and the run goes on", async () => {
    model.enqueue(reply("nothing to see"));
    await agent.run("look", { images: [image(Buffer.from("no image"))] });
    expect(sentImages(0)).toEqual([]);
    expect(sentText(0)).toContain("[Image left out: it isn't a readable image (image/png).]");
  });
});

describe("an image that the provider refuses", () => {
  const [first, second] = [png(1, 1), png(2, 2)].map(image);

  it("is replaced by a note, the user is told, and later requests leave it out too", async () => {
    model.enqueue(refusal("Could not process image"), reply("ok"), reply("still ok"));
    await agent.run("look", { images: [first, second] });
    expect(await lastText()).toBe("ok");
    expect(sentImages(1)).toEqual([first?.data]);
    expect(sentText(1)).toContain("[Image left out: the model's provider refused it.]");
    expect(warnings()).toEqual([
      expect.stringMatching(
        /Could not process image.* sent the request again without the newest image, which stays in the chat/,
      ),
    ]);
    await agent.run("and now");
    expect(sentImages(2)).toEqual([first?.data]);
    expect(warnings()).toHaveLength(1);
  });

  it("is the one that the provider names", async () => {
    model.enqueue(refusal("messages.0.content.1.image.source.base64.data: Could not process image"), reply("ok"));
    await agent.run("look", { images: [first, second] });
    expect(sentImages(1)).toEqual([second?.data]);
  });

  it("is followed by all others when the newest was not the reason", async () => {
    model.enqueue(refusal("Could not process image"), refusal("Could not process image"), reply("ok"));
    await agent.run("look", { images: [first, second] });
    expect(await lastText()).toBe("ok");
    expect(sentImages(2)).toEqual([]);
  });

  it("in a tool's result is replaced in the result", async () => {
    await writeFile(join(agent.cwd, "a.png"), png(1, 1));
    const place = "messages.2.content.0.tool_result.content.1.image.source.base64.data";
    model.enqueue(
      reply([toolCall("read", { path: "a.png" })], { stopReason: "tool_use" }),
      refusal(`${place}: Could not process image`),
      reply("ok"),
    );
    await agent.run("look");
    expect(sentText(2)).toContain("[Image left out: the model's provider refused it.]");
  });
});

describe("a request that the provider refuses as malformed", () => {
  it("is tried without the newest attachment, then without the newest result, and what did not help is sent again", async () => {
    await writeFile(join(agent.cwd, "a.txt"), "poison");
    model.enqueue(
      reply([toolCall("read", { path: "a.txt" })], { stopReason: "tool_use" }),
      refusal("messages: unprocessable"),
      refusal("messages: unprocessable"),
      reply("ok"),
    );
    const dot = image(png(1, 1));
    await agent.run("look", { images: [dot] });
    expect(await lastText()).toBe("ok");
    expect(sentImages(2)).toEqual([]);
    expect(sentImages(3)).toEqual([dot.data]);
    expect(sentText(3)).not.toContain("poison");
    expect(sentText(3)).toContain("[Result left out: the model's provider refused the request with it.]");
    expect(warnings()).toEqual([
      expect.stringContaining("sent the request again without the newest attachment"),
      expect.stringContaining("sent the request again without the newest result of read"),
    ]);
  });

  it("fails with the provider's words when neither helps, and both are sent again", async () => {
    await writeFile(join(agent.cwd, "a.txt"), "harmless");
    model.enqueue(
      reply([toolCall("read", { path: "a.txt" })], { stopReason: "tool_use" }),
      refusal("messages: unprocessable"),
      refusal("messages: unprocessable"),
      reply("ok"),
    );
    const frames = await agent.run("look");
    expect(JSON.stringify(frames.find(({ type }) => type === "agent_end"))).toContain("messages: unprocessable");
    await agent.run("again");
    expect(sentText(3)).toContain("harmless");
  });

  it.each([
    [400, "invalid_request_error", "max_tokens: 64000 > 8192, which is the maximum"],
    [400, "invalid_request_error", "Your credit balance is too low"],
    [401, "authentication_error", "invalid x-api-key"],
    [404, "not_found_error", "model: claude-none"],
  ])("for a reason that is not in its messages is not tried again: %i %s %s", async (status, type, message) => {
    model.enqueue(httpError(status, type, message));
    await agent.run("look", { images: [image(png(1, 1))] });
    expect(model.requests).toHaveLength(1);
    expect(warnings()).toEqual([]);
  });
});
