import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AcpClient } from "../support/acp-client.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { gate, httpError, reply, text, thinking, toolCall } from "../support/scripted-replies.ts";

let model: ScriptedModel;
let client: AcpClient;

beforeEach(async () => {
  model = await ScriptedModel.start();
  client = await AcpClient.start({ modelUrl: model.url });
});

afterEach(async () => {
  await client.dispose();
  await model.stop();
});

/** The text of the last message that the model was sent. */
function lastMessage(): string {
  return JSON.stringify(model.requests.at(-1)?.body.messages.at(-1));
}

describe("a prompt", () => {
  it("streams thoughts and text, each message under an ID of its own", async () => {
    model.enqueue(reply([thinking("hm"), text("Hello there.", { chunks: 3 })]));
    const session = await client.newSession();
    expect(await client.prompt(session, "hi")).toBe("end_turn");
    const thoughts = client.updates("agent_thought_chunk");
    const chunks = client.updates("agent_message_chunk");
    expect(thoughts.map(({ content }) => content)).toEqual([{ type: "text", text: "hm" }]);
    expect(client.said(session)).toBe("Hello there.");
    expect(new Set([...thoughts, ...chunks].map(({ messageId }) => messageId)).size).toBe(1);
    expect(client.updates("user_message_chunk")).toEqual([]);
  });

  it("carries images, embedded texts and links to the model", async () => {
    const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    model.enqueue(reply("I see."));
    const session = await client.newSession();
    const uri = pathToFileURL(join(client.cwd, "a b.ts")).href;
    await client.agent.request("session/prompt", {
      sessionId: session,
      prompt: [
        { type: "text", text: "Look at" },
        { type: "resource_link", uri, name: "a b.ts" },
        { type: "resource", resource: { uri, text: "const unsaved = 1;", mimeType: "text/typescript" } },
        { type: "image", data: pixel, mimeType: "image/png" },
        { type: "resource", resource: { uri: "screen:1", blob: pixel, mimeType: "image/png" } },
      ],
    });
    const sent = lastMessage();
    expect(sent).toContain(`Look at @${join(client.cwd, "a b.ts")}`);
    expect(sent).toContain("const unsaved = 1;");
    expect(sent.split('"type":"image"')).toHaveLength(3);
  });

  it("says that the answer was cut when the model ran out of tokens", async () => {
    model.enqueue(reply("a long", { stopReason: "max_tokens" }));
    expect(await client.prompt(await client.newSession(), "write")).toBe("max_tokens");
  });

  it("fails with the model's error, and the session goes on", async () => {
    model.enqueue(httpError(400, "invalid_request_error", "bad things"), reply("fine"));
    const session = await client.newSession();
    await expect(client.prompt(session, "one")).rejects.toMatchObject({
      code: -32603,
      message: expect.stringContaining("bad things"),
      data: { kind: "invalid_request" },
    });
    expect(await client.prompt(session, "two")).toBe("end_turn");
  });

  it("asks to sign in when the provider refuses the key", async () => {
    model.enqueue(httpError(401, "authentication_error", "invalid x-api-key"));
    await expect(client.prompt(await client.newSession(), "one")).rejects.toMatchObject({ code: -32000 });
  });

  it("that comes while another runs waits, and both are answered", async () => {
    const stop = gate();
    model.enqueue(reply([text("one"), stop]), reply("two"));
    const session = await client.newSession();
    const first = client.prompt(session, "first");
    await stop.reached.promise;
    const second = client.prompt(session, "second");
    stop.release();
    expect(await Promise.all([first, second])).toEqual(["end_turn", "end_turn"]);
    expect(client.said()).toBe("onetwo");
  });

  it("may be a slash command with arguments", async () => {
    model.enqueue(reply("explained"));
    const session = await client.newSession();
    const [{ availableCommands } = { availableCommands: [] }] = [
      await client.until(() => client.updates("available_commands_update")[0], "the commands"),
    ];
    expect(availableCommands).toContainEqual(expect.objectContaining({ name: "compact" }));
    expect(availableCommands).toContainEqual(
      expect.objectContaining({ name: "explain", input: { hint: "<file:lines> [what matters]" } }),
    );
    await client.prompt(session, "/explain a.ts:1-2");
    expect(lastMessage()).toContain("Explain the following code");
    expect(lastMessage()).toContain("a.ts:1-2");
  });

  it("reports the plan, the usage, and the cost", async () => {
    const todos = [
      {
        name: "Work",
        tasks: [
          { content: "Look", status: "completed" },
          { content: "Do", status: "abandoned" },
        ],
      },
      { name: "Check", tasks: [{ content: "Test", status: "completed" }] },
    ];
    const write = toolCall("todo_write", { ops: [{ op: "replace", phases: todos }] });
    model.enqueue(reply([write]), reply("done"));
    const session = await client.newSession();
    await client.prompt(session, "plan");
    expect(client.updates("plan").at(-1)?.entries).toEqual([
      { content: "Work: Look", status: "completed", priority: "medium" },
      { content: "Check: Test", status: "completed", priority: "medium" },
    ]);
    expect(client.updates("tool_call")).toEqual([]);
    const usage = await client.until(() => client.updates("usage_update").find(({ used }) => used === 15), "the usage");
    expect(usage.cost?.currency).toBe("USD");
    expect(usage.cost?.amount).toBeGreaterThan(0);
  });
});

describe("cancel", () => {
  it("ends a streaming answer and the prompts that wait", async () => {
    const stop = gate();
    model.enqueue(reply([text("one"), stop]));
    const session = await client.newSession();
    const first = client.prompt(session, "first");
    await stop.reached.promise;
    const second = client.prompt(session, "second");
    await client.agent.notify("session/cancel", { sessionId: session });
    expect(await Promise.all([first, second])).toEqual(["cancelled", "cancelled"]);
    stop.release();
    model.enqueue(reply("again"));
    expect(await client.prompt(session, "third")).toBe("end_turn");
  });

  it("ends a command in the middle", async () => {
    model.enqueue(reply([toolCall("bash", { command: "echo begun; sleep 60" })]));
    const session = await client.newSession();
    const prompt = client.prompt(session, "run");
    await client.until(
      () => client.updates("tool_call_update").find((update) => JSON.stringify(update).includes("begun\\n")),
      "the output",
    );
    await client.agent.notify("session/cancel", { sessionId: session });
    expect(await prompt).toBe("cancelled");
    expect(client.updates("tool_call_update").at(-1)?.status).toBe("failed");
  });

  it("of the request ends the turn, too", async () => {
    const stop = gate();
    model.enqueue(reply([text("one"), stop]));
    const session = await client.newSession();
    const abort = new AbortController();
    const prompt = client.agent.request(
      "session/prompt",
      { sessionId: session, prompt: [{ type: "text", text: "go" }] },
      { cancellationSignal: abort.signal },
    );
    await stop.reached.promise;
    abort.abort();
    expect(await prompt).toEqual({ stopReason: "cancelled" });
    stop.release();
  });

  it("before a session has a run does nothing", async () => {
    const session = await client.newSession();
    await client.agent.notify("session/cancel", { sessionId: session });
    model.enqueue(reply("fine"));
    expect(await client.prompt(session, "go")).toBe("end_turn");
  });
});

describe("two sessions in one process", () => {
  it("run side by side, each in its folder", async () => {
    const folders = ["one", "two"].map((name) => join(client.cwd, name));
    for (const folder of folders) {
      mkdirSync(folder);
      writeFileSync(join(folder, "name.txt"), `I am ${folder}`);
    }
    const sessions = await Promise.all(folders.map((folder) => client.newSession(folder)));
    for (const _ of sessions) model.enqueue(reply([toolCall("read", { path: "name.txt" })]));
    model.enqueue(reply("done"), reply("done"));
    await Promise.all(sessions.map((session) => client.prompt(session, "read it")));
    for (const [index, session] of sessions.entries()) {
      const results = client.updates("tool_call_update", session).map(({ rawOutput }) => JSON.stringify(rawOutput));
      expect(results.join()).toContain(`I am ${folders[index]}`);
    }
  });

  it("closing one ends its command and leaves the other's alone", async () => {
    const [first, second] = [await client.newSession(), await client.newSession()];
    const marker = (name: string) => join(client.cwd, name);
    model.enqueue(reply([toolCall("bash", { command: `touch ${marker("a")}; sleep 60` })]));
    const one = client.prompt(first, "run");
    const isBegun = (session: string) =>
      client.updates("tool_call_update", session).find(({ status }) => status === "in_progress");
    await client.until(() => isBegun(first), "the first command");
    model.enqueue(reply([toolCall("bash", { command: "sleep 2; echo finished" })]), reply("done"));
    const two = client.prompt(second, "run");
    await client.until(() => isBegun(second), "the second command");
    const closing = client.agent.request("session/close", { sessionId: first });
    await expect(one).resolves.toBe("cancelled");
    await closing;
    expect(await two).toBe("end_turn");
    expect(JSON.stringify(client.updates("tool_call_update", second))).toContain("finished");
    await expect(client.prompt(first, "more")).rejects.toMatchObject({ code: -32002 });
  });
});
