import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AcpClient, reject } from "../support/acp-client.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply, toolCall } from "../support/scripted-replies.ts";

let model: ScriptedModel;
let client: AcpClient;

beforeEach(async () => {
  model = await ScriptedModel.start();
});

afterEach(async () => {
  await client.dispose();
  await model.stop();
});

/** Runs one call of the model. @returns the session. */
async function call(name: string, args: Record<string, unknown>): Promise<string> {
  model.enqueue(reply([toolCall(name, args, { pieces: 2 })]), reply("done"));
  const session = await client.newSession();
  await client.prompt(session, "do it");
  return session;
}

describe("a tool call", () => {
  it("is shown from the model's first word about it to its result", async () => {
    client = await AcpClient.start({ modelUrl: model.url });
    writeFileSync(join(client.cwd, "a.txt"), "one\ntwo\n```\nthree\n");
    await call("read", { path: "a.txt", offset: 2 });
    const [first] = client.updates("tool_call");
    expect(first).toMatchObject({ kind: "read", status: "pending", title: "Read a file", name: "read" });
    const updates = client.updates("tool_call_update");
    expect(updates.map(({ status }) => status)).toEqual(["pending", "in_progress", "completed"]);
    expect(updates[0]).toMatchObject({
      title: "Read a.txt:2",
      locations: [{ path: join(client.cwd, "a.txt"), line: 2 }],
      rawInput: { path: "a.txt", offset: 2 },
    });
    const end = updates.at(-1);
    expect(end?.content).toHaveLength(1);
    expect(JSON.stringify(end?.content)).toContain("````\\n");
    expect(JSON.stringify(end?.rawOutput)).toContain("three");
  });

  it("that changes a file shows the change with both texts", async () => {
    client = await AcpClient.start({ modelUrl: model.url, args: ["--permission-mode", "auto"] });
    const path = join(client.cwd, "a.txt");
    writeFileSync(path, "one\ntwo\n");
    await call("edit", { path: "a.txt", edits: [{ oldText: "two", newText: "2" }] });
    expect(readFileSync(path, "utf8")).toBe("one\n2\n");
    expect(client.updates("tool_call_update").at(-1)).toMatchObject({
      status: "completed",
      locations: [{ path, line: 2 }],
      content: [{ type: "diff", path, oldText: "one\ntwo\n", newText: "one\n2\n" }],
    });
    await call("write", { path: "new.txt", content: "made\n" });
    expect(client.updates("tool_call_update").at(-1)).toMatchObject({
      status: "completed",
      content: [{ type: "diff", path: join(client.cwd, "new.txt"), oldText: null, newText: "made\n" }],
    });
  });

  it("that fails says why", async () => {
    client = await AcpClient.start({ modelUrl: model.url });
    await call("read", { path: "missing.txt" });
    const end = client.updates("tool_call_update").at(-1);
    expect(end?.status).toBe("failed");
    expect(JSON.stringify(end?.content)).toContain("missing.txt");
  });
});

describe("a permission", () => {
  it("is asked for with the options of the approval, the reasons, and the change", async () => {
    client = await AcpClient.start({ modelUrl: model.url });
    const path = join(client.cwd, "a.txt");
    writeFileSync(path, "one\ntwo\n");
    const session = await call("edit", { path: "a.txt", edits: [{ oldText: "two", newText: "2" }] });
    const [asked] = client.permissions;
    expect(asked?.sessionId).toBe(session);
    expect(asked?.toolCall).toMatchObject({
      title: "Edit a.txt",
      kind: "edit",
      locations: [{ path }],
      content: [{ type: "diff", path, oldText: "one\ntwo\n", newText: "one\n2\n" }],
    });
    expect(asked?.toolCall.toolCallId).toBe(client.updates("tool_call")[0]?.toolCallId);
    expect(asked?.options.map(({ kind }) => kind)).toEqual([
      "allow_once",
      "allow_always",
      "allow_always",
      "allow_always",
      "reject_once",
    ]);
    expect(asked?.options[0]?.name).toBe("Allow once");
    expect(asked?.options[1]?.name).toContain("Allow for this session: ");
    expect(readFileSync(path, "utf8")).toBe("one\n2\n");
  });

  it("for the session holds for the next call", async () => {
    client = await AcpClient.start({
      modelUrl: model.url,
      onPermission: () => ({ outcome: { outcome: "selected", optionId: "rule:session" } }),
    });
    model.enqueue(reply([toolCall("bash", { command: "touch a" })]));
    model.enqueue(reply([toolCall("bash", { command: "touch a" })]), reply("done"));
    await client.prompt(await client.newSession(), "twice");
    expect(client.permissions).toHaveLength(1);
  });

  it("that is rejected keeps the call from running, and the model learns the reason", async () => {
    client = await AcpClient.start({
      modelUrl: model.url,
      onPermission: async (request) => {
        const { outcome } = await reject(request);
        return { outcome: { ...outcome, _meta: { tiller: { reason: "use the other file" } } } };
      },
    });
    await call("write", { path: "a.txt", content: "x" });
    expect(client.updates("tool_call_update").at(-1)?.status).toBe("failed");
    expect(JSON.stringify(model.requests.at(-1)?.body.messages)).toContain("use the other file");
  });

  it("with an answer that was not offered counts as denied", async () => {
    client = await AcpClient.start({
      modelUrl: model.url,
      onPermission: () => ({ outcome: { outcome: "selected", optionId: "allow-everything" } }),
    });
    await call("write", { path: "a.txt", content: "x" });
    expect(client.updates("tool_call_update").at(-1)?.status).toBe("failed");
  });

  it("that the client fails to ask counts as denied", async () => {
    client = await AcpClient.start({
      modelUrl: model.url,
      onPermission: () => Promise.reject(new Error("no window")),
    });
    await call("write", { path: "a.txt", content: "x" });
    expect(client.updates("tool_call_update").at(-1)?.status).toBe("failed");
  });

  it("that nobody answers ends with a cancel", async () => {
    client = await AcpClient.start({ modelUrl: model.url, onPermission: () => new Promise(() => undefined) });
    model.enqueue(reply([toolCall("write", { path: "a.txt", content: "x" })]));
    const session = await client.newSession();
    const prompt = client.prompt(session, "write");
    await client.until(() => client.permissions[0], "the question");
    await client.agent.notify("session/cancel", { sessionId: session });
    expect(await prompt).toBe("cancelled");
    expect(client.messages.some(({ message }) => message.method === "$/cancel_request")).toBe(true);
  });
});
