import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ClientApp, ReadTextFileRequest, WriteTextFileRequest } from "@agentclientprotocol/sdk";
import { RequestError } from "@agentclientprotocol/sdk";
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

/** An editor with open files. It writes them to the disk as it saves them. */
class Buffers {
  readonly texts = new Map<string, string>();
  readonly writes: WriteTextFileRequest[] = [];

  /** Gives the text of an open file, or that of the disk. */
  read({ path }: ReadTextFileRequest): { content: string } {
    const open = this.texts.get(path);
    if (open !== undefined) return { content: open };
    if (path.includes("outside")) throw RequestError.invalidParams(undefined, "not in the project");
    return { content: readFileSync(path, "utf8") };
  }

  write(request: WriteTextFileRequest): Record<string, never> {
    this.writes.push(request);
    this.texts.set(request.path, request.content);
    writeFileSync(request.path, request.content);
    return {};
  }

  handle(app: ClientApp): ClientApp {
    return app
      .onRequest("fs/read_text_file", ({ params }) => this.read(params))
      .onRequest("fs/write_text_file", ({ params }) => this.write(params));
  }
}

async function startEditor(writeTextFile = true): Promise<Buffers> {
  const buffers = new Buffers();
  client = await AcpClient.start({
    modelUrl: model.url,
    args: ["--permission-mode", "auto"],
    capabilities: { fs: { readTextFile: true, writeTextFile } },
    handle: (app) => buffers.handle(app),
  });
  return buffers;
}

async function run(...calls: ReturnType<typeof toolCall>[]): Promise<void> {
  model.enqueue(reply(calls), reply("done"));
  await client.prompt(await client.newSession(), "do it");
}

function results(): string {
  return JSON.stringify(model.requests.at(-1)?.body.messages.at(-1));
}

describe("a client with files", () => {
  it("gives the model what is not saved", async () => {
    const buffers = await startEditor();
    const path = join(client.cwd, "a.txt");
    writeFileSync(path, "saved\n");
    buffers.texts.set(path, "unsaved\n");
    await run(toolCall("read", { path: "a.txt" }));
    expect(results()).toContain("unsaved");
  });

  it("writes the changes itself, and they are shown", async () => {
    const buffers = await startEditor();
    const path = join(client.cwd, "a.txt");
    writeFileSync(path, "saved\n");
    buffers.texts.set(path, "unsaved\nmore\n");
    await run(toolCall("edit", { path: "a.txt", edits: [{ oldText: "more", newText: "less" }] }));
    expect(buffers.writes.map(({ content }) => content)).toEqual(["unsaved\nless\n"]);
    expect(client.updates("tool_call_update").at(-1)?.content).toEqual([
      { type: "diff", path, oldText: "unsaved\nmore\n", newText: "unsaved\nless\n" },
    ]);
  });

  it("that can't write keeps what is not saved, and the model learns why", async () => {
    const buffers = await startEditor(false);
    const path = join(client.cwd, "a.txt");
    writeFileSync(path, "saved\n");
    buffers.texts.set(path, "unsaved\n");
    await run(toolCall("edit", { path: "a.txt", edits: [{ oldText: "unsaved", newText: "gone" }] }));
    expect(results()).toContain("has changes in the editor that aren't saved");
    expect(readFileSync(path, "utf8")).toBe("saved\n");
  });

  it("that refuses a file leaves it to the disk", async () => {
    const buffers = await startEditor();
    writeFileSync(join(client.cwd, "outside.txt"), "one\n");
    await run(toolCall("edit", { path: "outside.txt", edits: [{ oldText: "one", newText: "two" }] }));
    expect(readFileSync(join(client.cwd, "outside.txt"), "utf8")).toBe("two\n");
    expect(buffers.writes).toEqual([]);
  });

  it("isn't asked for a file outside of the session's folders that the user doesn't allow", async () => {
    const buffers = new Buffers();
    client = await AcpClient.start({
      modelUrl: model.url,
      capabilities: { fs: { readTextFile: true, writeTextFile: true } },
      handle: (app) => buffers.handle(app),
      onPermission: reject,
    });
    const path = "/etc/hosts";
    buffers.texts.set(path, "not for the model");
    await run(toolCall("read", { path }), toolCall("write", { path, content: "x" }));
    expect(client.permissions.map(({ toolCall: { title } }) => title)).toEqual([`Read ${path}`, `Write ${path}`]);
    expect(results()).not.toContain("not for the model");
    expect(buffers.writes).toEqual([]);
  });

  it("that doesn't answer is waited for no longer when the user cancels", async () => {
    const silent = () => new Promise<never>(() => undefined);
    client = await AcpClient.start({
      modelUrl: model.url,
      args: ["--permission-mode", "auto"],
      capabilities: { fs: { readTextFile: true, writeTextFile: true } },
      handle: (app) => app.onRequest("fs/read_text_file", silent).onRequest("fs/write_text_file", silent),
    });
    writeFileSync(join(client.cwd, "a.txt"), "one\n");
    const session = await client.newSession();
    for (const call of [toolCall("read", { path: "a.txt" }), toolCall("write", { path: "a.txt", content: "two" })]) {
      model.enqueue(reply([call]));
      const before = client.messages.length;
      const prompt = client.prompt(session, "do it");
      const isAsked = () => client.messages.slice(before).find(({ message }) => message.method === "fs/read_text_file");
      await client.until(isAsked, "the request for the file");
      await client.agent.notify("session/cancel", { sessionId: session });
      expect(await prompt).toBe("cancelled");
    }
    expect(readFileSync(join(client.cwd, "a.txt"), "utf8")).toBe("one\n");
  });

  it("isn't asked for images, and new files are created", async () => {
    await startEditor();
    const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    writeFileSync(join(client.cwd, "a.png"), Buffer.from(pixel, "base64"));
    await run(toolCall("read", { path: "a.png" }), toolCall("write", { path: "new/b.txt", content: "made" }));
    expect(results()).toContain('"type":"image"');
    expect(readFileSync(join(client.cwd, "new/b.txt"), "utf8")).toBe("made");
  });
});

/** Terminals of a client, which are real processes. */
class Terminals {
  readonly released: string[] = [];
  readonly #running = new Map<string, { output: string; exit: Promise<{ exitCode: number | null }>; kill(): void }>();

  handle(app: ClientApp): ClientApp {
    const find = (id: string) => {
      const found = this.#running.get(id);
      if (found === undefined) throw RequestError.resourceNotFound(id);
      return found;
    };
    return app
      .onRequest("terminal/create", ({ params: { command, args = [], cwd, env = [] } }) => {
        const variables = Object.fromEntries(env.map(({ name, value }) => [name, value]));
        const child = spawn(command, args, {
          cwd: cwd ?? "/",
          env: { PATH: process.env.PATH, ...variables },
          detached: true,
        });
        const terminalId = `t${child.pid}`;
        const terminal = {
          output: "",
          exit: new Promise<{ exitCode: number | null }>((resolve) =>
            child.once("close", (exitCode) => resolve({ exitCode })),
          ),
          kill: () => void process.kill(-(child.pid ?? 0), "SIGKILL"),
        };
        child.stdout.on("data", (chunk: Buffer) => {
          terminal.output += chunk;
        });
        this.#running.set(terminalId, terminal);
        return { terminalId };
      })
      .onRequest("terminal/wait_for_exit", ({ params }) => find(params.terminalId).exit)
      .onRequest("terminal/output", ({ params }) => ({ output: find(params.terminalId).output, truncated: false }))
      .onRequest("terminal/kill", ({ params }) => {
        find(params.terminalId).kill();
        return {};
      })
      .onRequest("terminal/release", ({ params }) => {
        this.released.push(params.terminalId);
        return {};
      });
  }
}

async function startTerminals(): Promise<Terminals> {
  const terminals = new Terminals();
  client = await AcpClient.start({
    modelUrl: model.url,
    args: ["--permission-mode", "auto"],
    capabilities: { terminal: true },
    handle: (app) => terminals.handle(app),
  });
  return terminals;
}

describe("a client with terminals", () => {
  it("runs the commands, and the call shows the terminal", async () => {
    const terminals = await startTerminals();
    await run(toolCall("bash", { command: "echo from $AI_AGENT; exit 3" }));
    expect(results()).toContain("from tiller");
    expect(results()).toContain("Command exited with code 3");
    const [terminalId] = terminals.released;
    expect(client.updates("tool_call_update").at(-1)?.content?.[0]).toEqual({ type: "terminal", terminalId });
  });

  it("ends a command whose time is over", async () => {
    const terminals = await startTerminals();
    await run(toolCall("bash", { command: "echo begun; sleep 60", timeout: 0.5 }));
    expect(results()).toContain("Command timed out after 0.5 seconds");
    expect(terminals.released).toHaveLength(1);
  });

  it("ends a command that is cancelled", async () => {
    const terminals = await startTerminals();
    model.enqueue(reply([toolCall("bash", { command: "sleep 60" })]));
    const session = await client.newSession();
    const prompt = client.prompt(session, "run");
    await client.until(
      () => client.updates("tool_call_update").find(({ content }) => content?.[0]?.type === "terminal"),
      "the terminal",
    );
    await client.agent.notify("session/cancel", { sessionId: session });
    expect(await prompt).toBe("cancelled");
    await client.until(() => terminals.released[0], "the release");
  });
});
